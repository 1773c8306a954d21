import CommuteStore

/// `commute inbox list`.
struct InboxListCommand: BooksCommand {
  static let spec = CommandSpec.inbox("list", "shows what waits for your decision")

  let device: DeviceOptions

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    let items = try await Self.translating { try await InboxItem.all(on: device) }
    var table = TextTable(
      ["entry", "book", "what happened", "yours", "you can"], widthLimit: 90)
    table.rows = items.map { [$0.name, $0.title, $0.sentence, $0.value, $0.choices] }
    let count = Plural.text(items.count, "entry", "entries")
    let rest = "\(count); `commute inbox --help` says what you can do"
    return Report(
      items.isEmpty ? ["nothing waits for your decision"] : table.withHeads + ["", rest],
      ["entries": .list(items.map(\.json))])
  }
}

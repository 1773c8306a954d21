import CommuteFeatures

/// `commute books undo`.
struct UndoCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "undo", "takes back what was done last on this device",
    details: [
      "It remembers the last hundred steps, also those of earlier calls. What others changed",
      "meanwhile stays. A deletion that was not sent yet is withdrawn; after that the book is",
      "added again as a new one.",
    ],
    options: [OptionSpec("list", "shows what can be undone, and undoes nothing"), .sync])

  let device: DeviceOptions
  let syncs: Bool
  private let onlyLists: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    onlyLists = arguments.has("list")
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    if onlyLists {
      let entries = try await Self.translating { try await device.list.undoable() }
      return Change(
        entries.isEmpty ? ["nothing to undo"] : entries.map(\.title),
        [JSON.Member(name: "undoable", value: JSON(entries.map(\.title)))])
    }
    let outcome = try await Self.translating { try await device.list.undo() }
    return Change(
      ["undone: \(outcome.title)"] + outcome.remarks,
      [
        JSON.Member(name: "undone", value: .text(outcome.title)),
        JSON.Member(name: "remarks", value: JSON(outcome.remarks)),
      ])
  }
}

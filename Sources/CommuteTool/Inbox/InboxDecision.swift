import CommuteStore

/// A command that decides about entries of the inbox.
protocol InboxDecision: ChangingCommand {
  /// Which entries.
  var selection: InboxSelection { get }
  /// What is done about them.
  static var action: InboxAction { get }
  /// Does it.
  ///
  /// - Returns: Whether the entry was still there: one may go with another.
  static func decide(_ kind: InboxItem.Kind, on store: Store) async throws(StoreError) -> Bool
}

extension InboxDecision {
  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let items = try await selection.find(on: device, fitting: Self.action)
    var done: [InboxItem] = []
    for item in items {
      do throws(StoreError) {
        if try await Self.decide(item.kind, on: device.store) { done.append(item) }
      } catch {
        let before = done.isEmpty ? "" : "; before it: \(Self.names(done)) \(Self.action.done)"
        throw Failure(
          Failure(error).code, "\(item.name) (\(item.title)) stays: \(error.message)\(before)")
      }
    }
    let lines = done.map { "\(Self.action.done) \($0.name): \($0.title)" }
    return Change(
      lines.isEmpty ? ["nothing waits that could be \(Self.action.done)"] : lines,
      [JSON.Member(name: Self.action.done, value: .list(done.map(\.json)))])
  }

  private static func names(_ items: [InboxItem]) -> String {
    items.map(\.name).joined(separator: ", ")
  }
}

extension CommandSpec {
  /// A command about the inbox, with the options that all of them share.
  static func inbox(
    _ word: String, _ summary: String, details: [String] = [], _ arguments: [ArgumentSpec] = [],
    options: [OptionSpec] = []
  ) -> CommandSpec {
    CommandSpec(
      words: ["inbox", word], summary: summary, details: details, arguments: arguments,
      options: options + DeviceOptions.specs)
  }
}

/// `commute inbox retry ENTRY`.
struct InboxRetryCommand: InboxDecision {
  static let spec = CommandSpec.inbox(
    "retry", "makes a refused change once more, as a new one", [InboxSelection.argument],
    options: [InboxSelection.all, .sync])
  static let action = InboxAction.retry

  let device: DeviceOptions
  let syncs: Bool
  let selection: InboxSelection

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    selection = try InboxSelection(arguments)
  }

  static func decide(_ kind: InboxItem.Kind, on store: Store) async throws(StoreError) -> Bool {
    switch kind {
    case .refused(let entry): try await store.retry(entry)
    case .lost: false
    }
  }
}

/// `commute inbox discard ENTRY`.
struct InboxDiscardCommand: InboxDecision {
  static let spec = CommandSpec.inbox(
    "discard", "forgets an entry for good", details: ["`export` writes it down before."],
    [InboxSelection.argument], options: [InboxSelection.all, .sync])
  static let action = InboxAction.discard

  let device: DeviceOptions
  let syncs: Bool
  let selection: InboxSelection

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    selection = try InboxSelection(arguments)
  }

  static func decide(_ kind: InboxItem.Kind, on store: Store) async throws(StoreError) -> Bool {
    switch kind {
    case .refused(let entry): try await store.discard(entry)
    case .lost(let entry): try await store.dismiss(entry)
    }
  }
}

/// `commute inbox restore ENTRY`.
struct InboxRestoreCommand: InboxDecision {
  static let spec = CommandSpec.inbox(
    "restore", "writes a value that lost once more, as a new change",
    [InboxSelection.argument], options: [InboxSelection.all, .sync])
  static let action = InboxAction.restore

  let device: DeviceOptions
  let syncs: Bool
  let selection: InboxSelection

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    selection = try InboxSelection(arguments)
  }

  static func decide(_ kind: InboxItem.Kind, on store: Store) async throws(StoreError) -> Bool {
    switch kind {
    case .refused: false
    case .lost(let entry): try await store.restore(entry)
    }
  }
}

import CommuteStore

/// The entries of the inbox that a command line means.
struct InboxSelection: Sendable {
  /// The words of a command that name them.
  static let argument = ArgumentSpec(
    "ENTRY", isOptional: true, repeats: true, "the word in front of it, as `list` shows it")
  /// The option that means all.
  static let all = OptionSpec("all", "takes all entries that it fits")

  private let names: [String]
  private let takesAll: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    names = arguments.words("ENTRY")
    takesAll = arguments.has("all")
    guard names.isEmpty != takesAll else { return }
    throw .other(
      names.isEmpty
        ? "name an entry, as `commute inbox list` shows it, or give --all"
        : "--all takes every entry; name some, or give --all alone")
  }

  /// Means one entry.
  init(name: String) {
    names = [name]
    takesAll = false
  }

  /// Finds them; with --all those that the action fits.
  func find(
    on device: OpenDevice, fitting action: InboxAction
  ) async throws(Failure) -> [InboxItem] {
    let items: [InboxItem]
    do { items = try await InboxItem.all(on: device) } catch { throw Failure(error) }
    if takesAll { return items.filter { action.fits($0) } }
    var found: [InboxItem] = []
    for name in names {
      guard let item = items.first(where: { $0.name == name }) else {
        throw Failure(.refused, "there is no entry \(name); `commute inbox list` shows all")
      }
      guard action.fits(item) else {
        throw Failure(
          .refused, "\(name) cannot be \(action.done); you can: \(item.choices)")
      }
      if !found.contains(where: { $0.name == name }) { found.append(item) }
    }
    return found
  }
}

/// What can be done about an entry.
enum InboxAction: Sendable {
  case retry, edit, discard, restore

  /// Whether an entry is of the kind that it is for.
  ///
  /// What was refused only because of another entry goes with that one.
  func fits(_ item: InboxItem) -> Bool {
    switch (self, item.kind) {
    case (.retry, .refused(let entry)), (.edit, .refused(let entry)): entry.behind == nil
    case (.discard, _), (.restore, .lost): true
    case (.retry, .lost), (.edit, .lost), (.restore, .refused): false
    }
  }

  /// What is then said of the entry.
  var done: String {
    switch self {
    case .retry: "retried"
    case .edit: "edited"
    case .discard: "discarded"
    case .restore: "restored"
    }
  }
}

import CommuteCore
import CommuteFeatures
import CommuteStore
import CommuteSync
import Foundation

/// `commute books status`.
struct StatusCommand: BooksCommand {
  static let spec = CommandSpec.books(
    "status", "says what this device holds, and what waits for what")

  let device: DeviceOptions

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
  }

  func run(on device: OpenDevice) async throws(Failure) -> Report {
    let status = try await StoredStatus.read(device)
    let way = try await device.way()
    return try await Self.translating {
      let store = device.store
      let name = try await store.deviceName()
      let owner = try await store.device().account.owner
      let last = try await store.lastSuccess()
      let counts = try await store.counts()
      let books = try await store.read { tx in try tx.count(Book.all) }
      let refused = try await store.inbox()
      var table = TextTable(["", ""], widthLimit: 120)
      table.rows = [
        ["device", name], ["account", owner], ["database", store.databasePath],
        ["server", way?.server ?? "none yet; name it once with --server URL"],
        ["last synced", last.map(Self.moment) ?? "never"], ["books", "\(books)"],
      ]
      if let retry = Self.retry(status) { table.rows.append(["next attempt", retry]) }
      if counts.quarantined > 0 { table.rows.append(["kept aside", "\(counts.quarantined)"]) }
      let complaints = try await Self.complaints(refused, store)
      table.rows += complaints.map { ["refused", $0] }
      return Report(
        [status.text, ""] + table.plain,
        .object(
          status.members + [
            JSON.Member(name: "device", value: .text(name)),
            JSON.Member(name: "account", value: .text(owner)),
            JSON.Member(name: "database", value: .text(store.databasePath)),
            JSON.Member(name: "server", value: JSON(way?.server)),
            JSON.Member(name: "lastSynced", value: JSON(last.map(Self.moment))),
            JSON.Member(name: "books", value: JSON(books)),
            JSON.Member(name: "inFlight", value: JSON(counts.inFlight)),
            JSON.Member(name: "keptAside", value: JSON(counts.quarantined)),
            JSON.Member(name: "refused", value: JSON(complaints)),
          ]))
    }
  }

  /// What the server refused and why, with the title of the book as far as it is known.
  private static func complaints(
    _ refused: [InboxEntry], _ store: Store
  ) async throws -> [String] {
    if refused.isEmpty { return [] }
    let ids = refused.map(\.key.id)
    let titles = try await store.read { tx in
      try ids.map { id in try tx.fetch(Book.self, id)?.title ?? "book \(id.text)" }
    }
    return zip(titles, refused).map { "\($0): \($1.message)" }
  }

  private static func moment(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
  }

  private static func retry(_ status: SyncStatus) -> String? {
    switch status {
    case .offline(_, let due): "after \(moment(due)), or with `commute books sync` at once"
    case .retryPending(_, let due, let reason): "after \(moment(due)): \(reason)"
    default: nil
    }
  }
}

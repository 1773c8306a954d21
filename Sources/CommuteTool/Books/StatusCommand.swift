import CommuteCore
import CommuteFeatures
import CommuteStore
import CommuteSync
import Foundation

/// `commute books status`.
struct StatusCommand: BooksCommand {
  static let spec = CommandSpec.books(
    "status", "says what this device holds, and what waits for what")

  /// How many refusals are named here; the inbox shows all.
  private static let refusalLimit = 5

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
        ["server", way.map(Self.words) ?? "none yet; name it once with --server URL"],
      ]
      table.rows += Self.rows(of: way)
      table.rows += [["last synced", last.map(Moment.text) ?? "never"], ["books", "\(books)"]]
      let trouble = try await Self.trouble(status, store)
      table.rows += trouble.rows
      let revoked = try await store.revokedFeeds()
      table.rows += revoked.entries.map { ["taken away", Self.words($0.name.text, $0.value)] }
      if !revoked.isEmpty {
        table.rows.append(["", "`commute books sync --subscribe` when you have it again"])
      }
      if counts.quarantined > 0 { table.rows.append(["kept aside", "\(counts.quarantined)"]) }
      let complaints = try await Self.complaints(refused, store)
      table.rows += complaints.prefix(Self.refusalLimit).map { ["refused", $0] }
      if !complaints.isEmpty {
        let rest = complaints.count - Self.refusalLimit
        let more = rest > 0 ? "\(rest) more, and what you can do" : "what you can do about it"
        table.rows.append(["", "`commute inbox list` shows \(more)"])
      }
      return Report(
        [status.text, ""] + table.plain,
        .object(
          status.members + [
            JSON.Member(name: "device", value: .text(name)),
            JSON.Member(name: "account", value: .text(owner)),
            JSON.Member(name: "database", value: .text(store.databasePath)),
            JSON.Member(name: "server", value: JSON(way?.server)),
            JSON.Member(name: "serverHasAnswered", value: .boolean(way?.hasAnswered ?? false)),
            JSON.Member(name: "tokenFile", value: JSON(way?.tokenFile)),
            JSON.Member(name: "ca", value: JSON(way?.certificateFile)),
            JSON.Member(name: "lastSynced", value: JSON(last.map(Moment.text))),
            JSON.Member(name: "books", value: JSON(books)),
            JSON.Member(name: "inFlight", value: JSON(counts.inFlight)),
            JSON.Member(name: "offers", value: JSON(counts.offers)),
            JSON.Member(name: "takenAway", value: JSON(revoked.names.map(\.text))),
            JSON.Member(name: "keptAside", value: JSON(counts.quarantined)),
            JSON.Member(name: "refused", value: JSON(complaints)),
          ] + trouble.members))
    }
  }

  /// The server, and whether it is one so far.
  private static func words(_ way: ServerWay) -> String {
    way.hasAnswered ? way.server : "\(way.server) (remembered; it has not answered yet)"
  }

  /// A feed that was taken away, with the server's reason where it gave one.
  private static func words(_ feed: String, _ reason: String) -> String {
    reason.isEmpty ? feed : "\(feed): \(reason)"
  }

  /// What else is remembered of the way to it.
  private static func rows(of way: ServerWay?) -> [[String]] {
    var rows: [[String]] = []
    if let path = way?.tokenFile { rows.append(["token", path]) }
    if let path = way?.certificateFile { rows.append(["authorities", path]) }
    return rows
  }

  /// What the server refused and why, with the title of the book as far as it is known.
  private static func complaints(
    _ refused: [InboxEntry], _ store: Store
  ) async throws -> [String] {
    if refused.isEmpty { return [] }
    let titles = try await store.read { tx in
      try refused.map { try BookTitle.of($0, in: tx) }
    }
    return zip(titles, refused).map { "\($0): \($1.message)" }
  }

  /// The last failure, what to do about it, and when it is tried again.
  private static func trouble(
    _ status: SyncStatus, _ store: Store
  ) async throws -> (rows: [[String]], members: [JSON.Member]) {
    var failure: String?
    var cure: String?
    var at: String?
    if let retry = try await store.retry() {
      failure = retry.failure.message
      cure = Self.retry(status)
    } else if let problem = try await LastProblem.read(store) {
      failure = problem.status(waiting: 0).text
      cure = problem.cure
      at = Moment.text(problem.at)
    }
    var rows: [[String]] = []
    if let failure { rows.append(["last failure", (at.map { "\($0): " } ?? "") + failure]) }
    if let cure { rows.append([at == nil ? "next attempt" : "what to do", cure]) }
    return (
      rows,
      [
        JSON.Member(name: "lastFailure", value: JSON(failure)),
        JSON.Member(name: "failedAt", value: JSON(at)),
        JSON.Member(name: "cure", value: JSON(cure)),
      ]
    )
  }

  private static func retry(_ status: SyncStatus) -> String? {
    switch status {
    case .offline(_, let due): "after \(Moment.text(due)), or with `commute books sync` at once"
    case .retryPending(_, let due, _):
      "after \(Moment.text(due)), or with `commute books sync` at once"
    default: nil
    }
  }
}

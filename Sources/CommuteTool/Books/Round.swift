import CommuteCore
import CommuteHTTP
import CommuteStore
import CommuteSync

/// Rounds of sync of one device, until nothing is left or something stands in the way.
enum Round {
  /// Makes a driver for a device.
  static func driver(_ way: ServerWay, on device: OpenDevice) throws(Failure) -> SyncDriver {
    SyncDriver(
      store: device.store, client: CurlClient(client(way)), settings: try settings(way))
  }

  /// How a client reaches the server.
  static func client(_ way: ServerWay) -> HTTPClientSettings {
    var client = HTTPClientSettings()
    client.certificateAuthorityFile = way.certificateFile
    return client
  }

  /// The server's address and the token.
  static func settings(_ way: ServerWay) throws(Failure) -> SyncSettings {
    let token = way.tokenFile.map(TokenSource.init(path:))
    // A file that cannot be read is said here, once; later the server says that it wants a token.
    _ = try token?.read()
    return SyncSettings(server: way.server) { (try? token?.read())?.token }
  }

  /// Syncs a device.
  static func run(on device: OpenDevice) async throws(Failure) -> Report {
    guard let way = try await device.way() else {
      throw Failure(.refused, "no server is known yet; name it once with --server URL")
    }
    let driver = try driver(way, on: device)
    let outcome = await driver.sync()
    await driver.stop()
    await LastProblem.note(outcome.status, on: device.store)
    if outcome.rounds > 0, outcome.failure == nil { try await device.noteAnswer(of: way) }
    return report(outcome, (try? await device.store.counts()) ?? StoreCounts())
  }

  /// Says, before anything is written, whether a round could be made at all.
  static func requireWay(on device: OpenDevice) async throws(Failure) {
    guard try await device.way() == nil else { return }
    throw Failure(
      .refused, "nothing was changed: no server is known yet; name it once with --server URL")
  }

  private static func report(_ outcome: SyncReport, _ counts: StoreCounts) -> Report {
    let (code, complaint) = judgement(on: outcome)
    var lines = [headline(of: outcome.status, beside: complaint)]
    if outcome.settled + outcome.received > 0 {
      lines[0] += " · sent \(outcome.settled), received \(outcome.received)"
    }
    if outcome.quarantined > 0 {
      lines.append("\(outcome.quarantined) records could not be read and are kept aside")
    }
    if counts.refused > outcome.rejected {
      lines.append("\(counts.refused) refused earlier; `commute inbox list` shows them")
    }
    if counts.conflicts > 0 {
      let values = Plural.text(counts.conflicts, "value")
      lines.append("\(values) of yours lost to others; `commute inbox list` shows them")
    }
    var report = Report(lines, .object(outcome.status.members + members(of: outcome)))
    (report.code, report.complaint) = (code, complaint)
    return report
  }

  /// The status in a line that does not say once more what is complained about.
  private static func headline(of status: SyncStatus, beside complaint: String?) -> String {
    let reason: String
    switch status {
    case .retryPending(_, _, let words), .stopped(_, let words): reason = words
    default: return status.text
    }
    guard complaint == reason else { return status.text }
    return status.waiting == 0
      ? "Not up to date" : SyncStatus.pending(waiting: status.waiting).text
  }

  private static func members(of outcome: SyncReport) -> [JSON.Member] {
    [
      JSON.Member(name: "sent", value: JSON(outcome.settled)),
      JSON.Member(name: "received", value: JSON(outcome.received)),
      JSON.Member(name: "refused", value: JSON(outcome.rejected)),
      JSON.Member(name: "failure", value: JSON(outcome.failure?.message)),
    ]
  }

  private static func judgement(on outcome: SyncReport) -> (ExitCode, String?) {
    if let failure = outcome.failure {
      switch failure {
      case .storage: return (.storage, failure.message)
      default: return (failure.isRetryable ? .notReached : .refused, failure.message)
      }
    }
    switch outcome.status {
    case .stopped(_, let reason): return (.refused, reason)
    case .needsSignIn, .needsUpdate: return (.refused, outcome.status.text)
    default: break
    }
    if let revoked = outcome.revoked.entries.first {
      let inbox = outcome.rejected > 0 ? ", what waited is in `commute inbox list`" : ""
      return (
        .refused,
        "the feed \(revoked.name.text) was taken away from you (\(revoked.value))\(inbox); when you"
          + " have it again: `commute books sync --subscribe`"
      )
    }
    if outcome.rejected > 0 {
      let changes = outcome.rejected == 1 ? "1 change was" : "\(outcome.rejected) changes were"
      return (.refused, "\(changes) refused by the server; `commute inbox list` shows why")
    }
    return (.done, nil)
  }
}

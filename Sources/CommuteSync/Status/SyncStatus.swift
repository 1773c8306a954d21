/// What sync is doing, in the cases that a screen tells apart.
///
/// A failed round is not a failed edit: the changes wait here and are counted.
public enum SyncStatus: Hashable, Sendable {
  /// Everything known is exchanged; when, in milliseconds since 1970, nil before the first time.
  case idle(lastSuccess: Int64?)
  /// A round is under way.
  case syncing(waiting: Int)
  /// Changes wait for a reason to talk: sync is not started, or was given up.
  case pending(waiting: Int)
  /// The server cannot be reached.
  case offline(waiting: Int, retryAt: Int64)
  /// The server was reached and could not take the round; when it is tried again, and why.
  case retryPending(waiting: Int, retryAt: Int64, reason: String)
  /// The sign-in is missing, expired or another account's.
  case needsSignIn(waiting: Int, reason: String)
  /// The server no longer speaks to this build.
  case needsUpdate(waiting: Int)
  /// Everything else is exchanged, but these feeds were taken away; they are not read until the app
  /// subscribes again.
  case notGranted(waiting: Int, feeds: [String])
  /// Something this build cannot handle; what, in one line.
  case stopped(waiting: Int, reason: String)

  /// How many changes wait here.
  public var waiting: Int {
    switch self {
    case .idle: 0
    case .syncing(let count), .pending(let count), .offline(let count, _),
      .retryPending(let count, _, _), .needsSignIn(let count, _), .needsUpdate(let count),
      .notGranted(let count, _), .stopped(let count, _):
      count
    }
  }

  /// The status in one line, as `Server not reachable · 1 change waiting`.
  public var text: String {
    switch self {
    case .idle: "Up to date"
    case .syncing(let count): Self.line("Syncing", waiting: count)
    case .pending(0): "Not synced yet"
    case .pending(let count): Self.line("Not sent yet", waiting: count)
    case .offline(let count, _): Self.line("Server not reachable", waiting: count)
    case .retryPending(let count, _, let reason): Self.line(reason, waiting: count)
    case .needsSignIn(let count, let reason): Self.line(reason, waiting: count)
    case .needsUpdate(let count):
      Self.line("Update needed before changes can be sent", waiting: count)
    case .notGranted(let count, let feeds):
      Self.line(
        "No longer granted to you: \(feeds.joined(separator: ", "))", waiting: count)
    case .stopped(let count, let reason): Self.line(reason, waiting: count)
    }
  }

  private static func line(_ what: String, waiting count: Int) -> String {
    switch count {
    case 0: what
    case 1: "\(what) · 1 change waiting"
    default: "\(what) · \(count) changes waiting"
    }
  }
}

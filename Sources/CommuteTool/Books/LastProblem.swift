import CommuteStore
import CommuteSync

/// What stopped sync until a person does something, remembered so that `status` can say it later.
///
/// A failure that is tried again by itself is remembered by the store, with the time of the retry.
struct LastProblem: Hashable, Sendable {
  /// The name under which a device remembers it.
  private static let note = "books.problem"

  /// The status that it left behind; how many changes wait is counted anew.
  var status: SyncStatus
  /// When it came, in milliseconds since 1970.
  var at: Int64

  /// Reads it; nil where nothing stands in the way.
  static func read(_ store: Store) async throws -> LastProblem? {
    let line = try await store.note(note)
    return line.flatMap(Self.init(line:))
  }

  /// Remembers what stands in the way after a round, or that nothing does.
  static func note(_ status: SyncStatus, on store: Store) async {
    let line = LastProblem(status: status, at: store.options.clock.wall()).line
    // Where this cannot be written, the next round says the same again.
    try? await store.write { tx in
      if tx.note(note) != line { tx.setNote(note, line) }
    }
  }

  /// What to do about it.
  var cure: String {
    switch status {
    case .needsSignIn: "give the token of the device's account: --token-file FILE, then sync"
    case .needsUpdate: "update commute, then sync; everything is kept here"
    default: "`commute books sync` tries once more; if it stays, report it"
    }
  }

  /// Kind, time and words; nil for a status that needs nobody.
  private var line: String? {
    switch status {
    case .needsSignIn(_, let reason): "needsSignIn \(at) \(reason)"
    case .needsUpdate: "needsUpdate \(at) -"
    case .stopped(_, let reason): "stopped \(at) \(reason)"
    case .idle, .syncing, .pending, .offline, .retryPending, .notGranted: nil
    }
  }
}

extension LastProblem {
  /// Reads what ``line`` wrote; nil for anything else.
  private init?(line: String) {
    let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard parts.count == 3, let at = Int64(parts[1]) else { return nil }
    switch parts[0] {
    case "needsSignIn": status = .needsSignIn(waiting: 0, reason: parts[2])
    case "needsUpdate": status = .needsUpdate(waiting: 0)
    case "stopped": status = .stopped(waiting: 0, reason: parts[2])
    default: return nil
    }
    self.at = at
  }

  /// The status as it is now, with so many changes waiting.
  func status(waiting: Int) -> SyncStatus {
    switch status {
    case .needsSignIn(_, let reason): .needsSignIn(waiting: waiting, reason: reason)
    case .needsUpdate: .needsUpdate(waiting: waiting)
    case .stopped(_, let reason): .stopped(waiting: waiting, reason: reason)
    default: status
    }
  }
}

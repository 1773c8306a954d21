import CommuteCore
import CommuteStore
import CommuteSync

/// What sync is doing, as far as the store remembers it.
enum StoredStatus {
  /// Reads it.
  static func read(_ device: OpenDevice) async throws(Failure) -> SyncStatus {
    do {
      let waiting = try await device.store.counts().unsettled
      if let retry = try await device.store.retry() {
        return retry.failure.isUnreachable
          ? .offline(waiting: waiting, retryAt: retry.due)
          : .retryPending(
            waiting: waiting, retryAt: retry.due, reason: retry.failure.message)
      }
      if let problem = try await LastProblem.read(device.store) {
        return problem.status(waiting: waiting)
      }
      let revoked = try await device.store.revokedFeeds().names.map(\.text)
      if !revoked.isEmpty { return .notGranted(waiting: waiting, feeds: revoked) }
      let last = try await device.store.lastSuccess()
      return waiting == 0 && last != nil ? .idle(lastSuccess: last) : .pending(waiting: waiting)
    } catch {
      throw Failure(error)
    }
  }
}

extension SyncStatus {
  /// The status for programs.
  var members: [JSON.Member] {
    [
      JSON.Member(name: "status", value: .text(name)),
      JSON.Member(name: "text", value: .text(text)),
      JSON.Member(name: "waiting", value: JSON(waiting)),
    ]
  }

  private var name: String {
    switch self {
    case .idle: "idle"
    case .syncing: "syncing"
    case .pending: "pending"
    case .offline: "offline"
    case .retryPending: "retryPending"
    case .needsSignIn: "needsSignIn"
    case .needsUpdate: "needsUpdate"
    case .notGranted: "notGranted"
    case .stopped: "stopped"
    }
  }
}

import CommuteCore

/// Operations that fail when they are sent alone: one that the server cannot take must not hold up
/// the others for ever.
///
/// The store keeps how often each has failed, so that failures of several processes add up.
enum SuspectOperations {
  /// What a failure of a round says about the one operation that it carried.
  enum Suspicion: Hashable, Sendable {
    /// Nothing.
    case none
    /// The server cannot take it: it goes to the inbox.
    case tooLarge
    /// The server failed, perhaps at it: the failure counts.
    case failure
  }

  /// After how many failures of the server an operation is set aside.
  static let failureLimit: UInt32 = 5

  private static let backoff = Backoff(
    firstDelay: 60_000, delayLimit: 3_600_000, leastDelay: 60_000)

  /// What a failure of a round that carried just one operation says about it.
  static func suspicion(of failure: RoundFailure) -> Suspicion {
    if case .tooLarge = failure { return .tooLarge }
    guard case .unavailable(let status, _) = failure, status >= 500, status != 503 else {
      return .none
    }
    return .failure
  }

  /// How long an operation waits after so many failures in a row, so that the rest goes on.
  ///
  /// - Returns: The time in milliseconds; nil where it stays where it is.
  static func delay(afterFailures count: UInt32) -> UInt64? {
    guard count >= failureLimit else { return nil }
    return backoff.ceiling(afterFailures: count - failureLimit + 1)
  }
}

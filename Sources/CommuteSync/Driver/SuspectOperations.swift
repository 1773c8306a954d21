import CommuteCore

/// Operations that fail when they are sent alone: one that the server cannot take must not hold up
/// the others for ever.
struct SuspectOperations: Hashable, Sendable {
  /// What becomes of an operation that failed alone.
  enum Judgement: Hashable, Sendable {
    /// It stays where it is.
    case keep
    /// It goes to the inbox.
    case refuse
    /// It waits, and the rest goes on.
    case postpone(milliseconds: UInt64)
  }

  /// After how many failures of the server an operation is set aside.
  static let failureLimit: UInt32 = 5

  private var failures: [OperationID: UInt32] = [:]
  private let backoff = Backoff(firstDelay: 60_000, delayLimit: 3_600_000, leastDelay: 60_000)

  /// Takes note of a failure of a round that carried just this operation.
  mutating func judge(_ failure: RoundFailure, of operation: OperationID) -> Judgement {
    if case .tooLarge = failure {
      failures[operation] = nil
      return .refuse
    }
    guard case .unavailable(let status, _) = failure, status >= 500, status != 503 else {
      return .keep
    }
    let count = (failures[operation] ?? 0) + 1
    failures[operation] = count
    guard count >= Self.failureLimit else { return .keep }
    return .postpone(
      milliseconds: backoff.ceiling(afterFailures: count - Self.failureLimit + 1))
  }

  /// Forgets what was held against operations that the server has answered.
  mutating func clear(_ operations: [OperationID]) {
    for operation in operations { failures[operation] = nil }
  }

  /// Forgets everything: it is the server that fails.
  ///
  /// - Returns: The operations that were set aside for it.
  mutating func acquit() -> [OperationID] {
    defer { failures = [:] }
    return failures.filter { $0.value >= Self.failureLimit }.map(\.key).sorted()
  }
}

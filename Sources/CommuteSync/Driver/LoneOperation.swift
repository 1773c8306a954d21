import CommuteCore

/// What becomes of an operation that fails when it is sent alone: one bad item must not hold up the
/// others for ever.
struct LoneOperation: Hashable, Sendable {
  enum Judgement: Hashable, Sendable {
    case keep
    case refuse
    case postpone(milliseconds: UInt64)
  }

  /// After how many failures of the server an operation is set aside.
  static let failureLimit: UInt32 = 5

  private var id: OperationID?
  private var failures: UInt32 = 0
  private let backoff = Backoff(firstDelay: 60_000, delayLimit: 3_600_000, leastDelay: 60_000)

  /// Takes note of a failure of a round that carried just this operation.
  mutating func judge(_ failure: RoundFailure, of operation: OperationID) -> Judgement {
    if case .tooLarge = failure { return .refuse }
    guard case .unavailable(let status, _) = failure, status >= 500, status != 503 else {
      return .keep
    }
    if id != operation { failures = 0 }
    id = operation
    failures += 1
    guard failures >= Self.failureLimit else { return .keep }
    let beyond = failures - Self.failureLimit + 1
    return .postpone(milliseconds: backoff.ceiling(afterFailures: beyond))
  }
}

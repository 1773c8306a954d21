import CommuteCore
import Testing

@testable import CommuteSync

@Suite struct SuspectOperationsTests {
  var suspects = SuspectOperations()
  let one = OperationID(high: 0, low: 1)
  let other = OperationID(high: 0, low: 2)
  let failure = RoundFailure.unavailable(status: 500, retryAfterMilliseconds: 0)

  @Test mutating func `four failures are borne, the fifth sets aside, each later one longer`() {
    let judgements = (1...7).map { _ in suspects.judge(failure, of: one) }
    #expect(judgements.prefix(4).allSatisfy { $0 == .keep })
    #expect(
      Array(judgements.suffix(3)) == [
        .postpone(milliseconds: 60_000), .postpone(milliseconds: 120_000),
        .postpone(milliseconds: 240_000),
      ])
  }

  @Test mutating func `failures of one are not held against another`() {
    for _ in 0..<4 { _ = suspects.judge(failure, of: one) }
    let judgement = suspects.judge(failure, of: other)
    #expect(judgement == .keep)
  }

  @Test mutating func `an answer clears an operation`() {
    for _ in 0..<4 { _ = suspects.judge(failure, of: one) }
    suspects.clear([one])
    let judgement = suspects.judge(failure, of: one)
    #expect(judgement == .keep)
  }

  @Test mutating func `a server that fails by itself acquits all, and names who was set aside`() {
    for _ in 0..<5 { _ = suspects.judge(failure, of: one) }
    _ = suspects.judge(failure, of: other)
    let aside = suspects.acquit()
    let again = suspects.judge(failure, of: one)
    #expect(aside == [one])
    #expect(again == .keep)
  }

  @Test(arguments: [
    RoundFailure.timedOut, .unreachable("gone"), .notAnAnswer("no"),
    .unavailable(status: 503, retryAfterMilliseconds: 0),
    .unavailable(status: 429, retryAfterMilliseconds: 0),
  ])
  func `what says nothing about the operation is not held against it`(failure: RoundFailure) {
    var suspects = SuspectOperations()
    let judgements = (1...9).map { _ in suspects.judge(failure, of: one) }
    #expect(judgements.allSatisfy { $0 == .keep })
  }
}

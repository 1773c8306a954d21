import CommuteCore
import Testing

@testable import CommuteSync

@Suite struct SuspectOperationsTests {
  @Test func `four failures are borne, the fifth sets aside, each later one longer`() {
    let delays = (1...7).map { SuspectOperations.delay(afterFailures: $0) }
    #expect(delays == [nil, nil, nil, nil, 60_000, 120_000, 240_000])
  }

  @Test func `no operation waits for more than an hour`() {
    #expect(SuspectOperations.delay(afterFailures: .max) == 3_600_000)
  }

  @Test func `a failure of the server counts, one that is too large goes at once`() {
    let failure = RoundFailure.unavailable(status: 500, retryAfterMilliseconds: 0)
    #expect(SuspectOperations.suspicion(of: failure) == .failure)
    #expect(SuspectOperations.suspicion(of: .tooLarge) == .tooLarge)
  }

  @Test(arguments: [
    RoundFailure.timedOut, .unreachable("gone"), .notAnAnswer("no"),
    .unavailable(status: 503, retryAfterMilliseconds: 0),
    .unavailable(status: 429, retryAfterMilliseconds: 0),
  ])
  func `what says nothing about the operation is not held against it`(failure: RoundFailure) {
    #expect(SuspectOperations.suspicion(of: failure) == .none)
  }
}

import CommuteCore
import Testing

@Suite struct RoundFailureTests {
  @Test(arguments: [
    (301, RoundFailure.notAnAnswer("status 301")), (204, .notAnAnswer("status 204")),
    (511, .notAnAnswer("status 511")), (400, .refused(status: 400)),
    (401, .needsSignIn(status: 401)), (403, .needsSignIn(status: 403)),
    (404, .refused(status: 404)), (408, .unavailable(status: 408, retryAfterMilliseconds: 0)),
    (409, .wrongOwner), (413, .tooLarge),
    (425, .unavailable(status: 425, retryAfterMilliseconds: 0)), (426, .needsUpdate),
    (429, .unavailable(status: 429, retryAfterMilliseconds: 0)),
    (500, .unavailable(status: 500, retryAfterMilliseconds: 0)),
    (599, .unavailable(status: 599, retryAfterMilliseconds: 0)),
  ])
  func `a status says what to do next`(status: Int, failure: RoundFailure) {
    #expect(RoundFailure(status: status) == failure)
  }

  @Test func `Retry-After is kept where it counts`() {
    #expect(
      RoundFailure(status: 503, retryAfterMilliseconds: 4_000)
        == .unavailable(status: 503, retryAfterMilliseconds: 4_000))
    #expect(RoundFailure(status: 413, retryAfterMilliseconds: 4_000) == .tooLarge)
  }

  @Test func `only what heals by itself is tried again`() {
    let healing: [RoundFailure] = [
      .unreachable(""), .timedOut, .notAnAnswer(""), .tooLarge, .badCertificate(""),
      .unavailable(status: 500, retryAfterMilliseconds: 0),
    ]
    let lasting: [RoundFailure] = [
      .needsSignIn(status: 401), .needsUpdate, .wrongOwner, .refused(status: 400), .cancelled,
    ]
    #expect(healing.allSatisfy { $0.isRetryable })
    #expect(lasting.allSatisfy { !$0.isRetryable })
  }

  @Test func `only what a large request may cause blames the batch`() {
    #expect(RoundFailure.tooLarge.blamesBatch)
    #expect(RoundFailure.timedOut.blamesBatch)
    #expect(RoundFailure(status: 500).blamesBatch)
    #expect(!RoundFailure(status: 503).blamesBatch)
    #expect(!RoundFailure(status: 429).blamesBatch)
    #expect(!RoundFailure.unreachable("").blamesBatch)
    #expect(!RoundFailure.notAnAnswer("").blamesBatch)
  }

  @Test func `the server is unreachable only where nothing answered`() {
    #expect(RoundFailure.unreachable("").isUnreachable)
    #expect(RoundFailure.badCertificate("").isUnreachable)
    #expect(!RoundFailure.timedOut.isUnreachable)
    #expect(!RoundFailure(status: 500).isUnreachable)
  }

  @Test func `every failure has words that say what happened and what to do`() {
    let failures: [RoundFailure] = [
      .unreachable("refused"), .timedOut, .notAnAnswer("a page"), .tooLarge, .needsUpdate,
      .needsSignIn(status: 401), .wrongOwner, .refused(status: 400), .badCertificate("expired"),
      .cancelled, .unavailable(status: 500, retryAfterMilliseconds: 0),
      .syncedElsewhere(by: "process 12"),
    ]
    let words = failures.map { $0.message }
    #expect(Set(words).count == words.count)
    #expect(words.allSatisfy { $0.count > 20 && !$0.contains("\n") })
    #expect(words[0].contains("refused"))
  }
}

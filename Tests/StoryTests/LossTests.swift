import Testing

@testable import StoryRunner

@Suite struct LossTests {
  private func kinds(_ held: [Book], _ wanted: [Book]) -> [Loss.Kind] {
    Loss.between(held, wanted, at: .server).map(\.kind)
  }

  @Test func `nothing is lost where everything is there`() {
    #expect(kinds([Book("Emma", isRead: true)], [Book("Emma", isRead: true)]) == [])
    #expect(kinds([], []) == [])
  }

  @Test func `each kind of loss is told by its name`() {
    #expect(kinds([], [Book("Emma")]) == [.missing])
    #expect(kinds([Book("Emma")], []) == [.back])
    #expect(kinds([Book("Emma"), Book("Emma")], [Book("Emma")]) == [.twice])
    #expect(kinds([Book("Emma")], [Book("Emma", isRead: true)]) == [.tick])
    #expect(kinds([Book("Emma")], [Book("Emma", note: "a gift")]) == [.note])
  }

  @Test func `a second copy does not hide that the tick is lost`() {
    #expect(
      kinds([Book("Emma"), Book("Emma")], [Book("Emma", isRead: true)]) == [.twice, .tick])
  }

  @Test func `the nearest of several outcomes counts`() {
    let outcomes = [[Book("Emma", note: "a gift")], [Book("Emma", note: "a loan")]]
    let held: [Place: [Book]] = [
      .device(.a): outcomes[0], .device(.b): outcomes[1], .server: outcomes[1],
    ]
    #expect(Loss.between(held, outcomes).map(\.place) == [.device(.a)])
  }

  @Test func `one thing that is lost in several places is one line`() {
    let losses = Loss.between([:], [[Book("Emma")]])
    #expect(Telling(held: [:], losses: losses).lossLines == ["“Emma” is gone (A, B, server)"])
  }
}

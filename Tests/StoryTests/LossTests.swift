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

  @Test func `a book in another person’s list is not the same book`() {
    let annas = [Book("Emma", of: .anna)]
    #expect(kinds([Book("Emma", of: .ben)], annas) == [.missing, .foreign])
    #expect(kinds([Book("Emma", of: .anna)], annas) == [])
  }

  @Test func `a second copy does not hide that the tick is lost`() {
    #expect(
      kinds([Book("Emma"), Book("Emma")], [Book("Emma", isRead: true)]) == [.twice, .tick])
  }

  @Test func `the nearest of several outcomes counts`() {
    let gift = Book("Emma", note: "a gift")
    let loan = Book("Emma", note: "a loan")
    let held: [Place: [Book]] = [.device(.a): [gift], .device(.b): [loan], .server: [loan]]
    let outcomes = [Story.everywhere(gift), Story.everywhere(loan)]
    #expect(Loss.between(held, outcomes).map(\.place) == [.device(.a)])
  }

  @Test func `what is lost at a place again and again is named once`() {
    let loss = Loss(kind: .back, place: .server, words: "“Emma” is back")
    let telling = Telling(held: [:], losses: [loss, loss])
    #expect(telling.lossLines == ["“Emma” is back (server)"])
  }

  @Test func `one thing that is lost in several places is one line`() {
    let losses = Loss.between([:], [Story.everywhere(Book("Emma"))])
    #expect(Telling(held: [:], losses: losses).lossLines == ["“Emma” is gone (A, B, server)"])
  }
}

import CommuteStore
import CommuteTestKit
import Testing

private struct Entry: Identifiable, Hashable {
  var id: Int
  var content = 0
}

@Suite struct ListDifferenceTests {
  private func difference(_ earlier: [Entry], _ later: [Entry]) -> ListDifference {
    ListDifference(from: earlier, to: later) { $0.content == $1.content }
  }

  /// What a list view does with a difference.
  private func applying(_ difference: ListDifference, to earlier: [Entry], _ later: [Entry])
    -> [Entry]
  {
    let gone = Set(difference.removed + difference.moved.map(\.from))
    var list = earlier.indices.filter { !gone.contains($0) }.map { earlier[$0] }
    for place in (difference.inserted + difference.moved.map(\.to)).sorted() {
      list.insert(later[place], at: place)
    }
    for place in difference.changed { list[place] = later[place] }
    return list
  }

  @Test func `the same list is no difference`() {
    let list = [Entry(id: 1), Entry(id: 2)]
    #expect(difference(list, list).isEmpty)
    #expect(difference([], []).isEmpty)
  }

  @Test func `records that come and go are named by their places`() {
    let found = difference(
      [Entry(id: 1), Entry(id: 2), Entry(id: 3)], [Entry(id: 4), Entry(id: 1), Entry(id: 3)])
    #expect(found.removed == [1])
    #expect(found.inserted == [0])
    #expect(found.moved.isEmpty)
    #expect(found.changed.isEmpty)
  }

  @Test func `one record that goes to the end is one move`() {
    let found = difference((1...5).map { Entry(id: $0) }, [2, 3, 4, 5, 1].map { Entry(id: $0) })
    #expect(found.moved == [ListDifference.Move(from: 0, to: 4)])
  }

  @Test func `a record that moved with another content is both`() {
    let found = difference(
      (1...3).map { Entry(id: $0) }, [Entry(id: 3, content: 9), Entry(id: 1), Entry(id: 2)])
    #expect(found.moved == [ListDifference.Move(from: 2, to: 0)])
    #expect(found.changed == [0])
  }

  @Test func `a change at the end is found behind an insertion`() {
    let later = [Entry(id: 3), Entry(id: 1), Entry(id: 2, content: 1)]
    let found = difference([Entry(id: 1), Entry(id: 2)], later)
    #expect(found.inserted == [0])
    #expect(found.changed == [2])
  }

  @Test(arguments: 1...20) func `any two lists differ by what turns one into the other`(
    seed: UInt64
  ) {
    var draws = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let ids = Array(0..<Int.random(in: 0...12, using: &draws))
      let earlier = ids.shuffled(using: &draws).prefix(Int.random(in: 0...12, using: &draws))
        .map { Entry(id: $0) }
      let later = ids.shuffled(using: &draws).prefix(Int.random(in: 0...12, using: &draws))
        .map { Entry(id: $0, content: Bool.random(using: &draws) ? 1 : 0) }
      let found = difference(earlier, later)
      #expect(applying(found, to: earlier, later) == later, "seed \(seed)")
      #expect(found.isEmpty == (earlier == later), "seed \(seed)")
      #expect(found.removed.count == Set(earlier.map(\.id)).subtracting(later.map(\.id)).count)
    }
  }
}

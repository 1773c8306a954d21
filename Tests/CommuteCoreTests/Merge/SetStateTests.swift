import CommuteCore
import Testing

@Suite struct SetStateTests {
  static func tag(_ number: UInt64) -> ElementTag { ElementTag(high: 0x4000, low: number) }

  static func set(_ elements: (UInt64, String)...) -> SetState {
    var set = SetState()
    for (number, element) in elements {
      set.add(TaggedElement(tag: tag(number), element: element))
    }
    return set
  }

  @Test func `an addition that the remover had not seen stays`() {
    let seen = Self.set((1, "a"))
    var removed = seen
    removed.remove(SetState.Removal(tag: Self.tag(1), milliseconds: 5))
    let again = Self.set((1, "a"), (2, "a"))
    #expect(removed.elements == [])
    #expect(removed.merged(with: seen).elements == [])
    #expect(removed.merged(with: again).elements == ["a"])
    #expect(again.merged(with: removed) == removed.merged(with: again))
  }

  @Test func `elements are distinct by their bytes and in their order`() {
    let set = Self.set((3, "b"), (1, "\u{E9}"), (2, "e\u{301}"), (4, "b"), (5, ""))
    #expect(set.elements.map { Key($0) } == ["", "b", "e\u{301}", "\u{E9}"])
    #expect(set.tags(of: "b") == [Self.tag(3), Self.tag(4)])
    #expect(set.tags(of: "e\u{301}") == [Self.tag(2)])
  }

  @Test func `of two elements under one tag the greater bytes stay`() {
    let one = Self.set((1, "a"))
    let two = Self.set((1, "b"))
    #expect(one.merged(with: two).elements == ["b"])
    #expect(two.merged(with: one).elements == ["b"])
  }

  @Test func `removals are forgotten behind the fence, but not those of seeds`() {
    let record = RecordKey(table: "book", id: RecordID(high: 1, low: 2))
    let seeded = ElementTag.seeded(in: record, field: "tags", element: "a")
    let added = ElementTag.added(
      by: OperationID(high: 1, low: 2), field: "tags", element: "a")
    #expect(seeded.isSeeded)
    #expect(!added.isSeeded)
    var set = SetState()
    set.remove(SetState.Removal(tag: seeded, milliseconds: 5))
    set.remove(SetState.Removal(tag: added, milliseconds: 5))
    set.remove(SetState.Removal(tag: Self.tag(9), milliseconds: 6))
    set.prune(before: 6)
    #expect(set.knows(seeded))
    #expect(!set.knows(added))
    #expect(set.knows(Self.tag(9)))
  }

  @Test func `tags differ by operation, field, element and record`() {
    let record = RecordKey(table: "book", id: RecordID(high: 1, low: 2))
    let other = RecordKey(table: "book", id: RecordID(high: 1, low: 3))
    let operation = OperationID(high: 1, low: 2)
    let tags: Set<ElementTag> = [
      .added(by: operation, field: "tags", element: "a"),
      .added(by: operation, field: "tags", element: "b"),
      .added(by: operation, field: "tag", element: "sa"),
      .added(by: OperationID(high: 1, low: 3), field: "tags", element: "a"),
      .seeded(in: record, field: "tags", element: "a"),
      .seeded(in: record, field: "tags", element: "b"),
      .seeded(in: other, field: "tags", element: "a"),
      .seeded(in: record, field: "tag", element: "sa"),
    ]
    #expect(tags.count == 8)
  }
}

import CommuteCore
import Testing

@Suite struct DeviceRecordWritingTests {
  var bench = DeviceBench()

  typealias State = DeviceBench

  func row(_ index: Int) -> Operation { bench.record.rows[index].operation }

  func over(_ name: Key, row index: Int = 0) -> Over? { row(index).fields[name]?.over }

  // MARK: - What is stamped and queued

  @Test mutating func `a creation stamps all its fields at one moment`() throws {
    let names = try bench.create(["title": .text("a"), "notes": .text("b")])
    #expect(names == ["notes", "title"])
    #expect(bench.record.rows.count == 1)
    #expect(row(0).creates)
    let stamps = row(0).fields.entries.map { $0.value.stamp }
    #expect(stamps == [State.stamp(100), State.stamp(100)])
    #expect(bench.view == ["title": "a", "notes": "b"])
  }

  @Test mutating func `only what really changed is stamped`() throws {
    bench.absorb(State.state(["title": ("a", State.stamp(1)), "notes": ("b", State.stamp(1))]))
    let names = try bench.change(["title": .text("a"), "notes": .text("c")])
    #expect(names == ["notes"])
    #expect(row(0).fields.names == ["notes"])
    #expect(!row(0).creates)
  }

  @Test mutating func `a write that changes nothing leaves record and clock as they are`() throws {
    bench.absorb(State.state(["title": ("a", State.stamp(1))]))
    let clock = bench.clock
    let names = try bench.change(["title": .text("a")])
    #expect(names.isEmpty)
    #expect(bench.record.rows.isEmpty)
    #expect(bench.clock == clock)
  }

  @Test mutating func `texts that look alike and differ in bytes are a change`() throws {
    bench.absorb(State.state(["title": ("\u{E9}", State.stamp(1))]))
    let names = try bench.change(["title": .text("e\u{301}")])
    #expect(names == ["title"])
  }

  @Test mutating func `a change back to the old value is a change`() throws {
    bench.absorb(State.state(["title": ("a", State.stamp(1))]))
    try bench.change(["title": .text("b")])
    let names = try bench.change(["title": .text("a")])
    #expect(names == ["title"])
    #expect(row(0).fields["title"]?.value == .text("a"))
  }

  @Test mutating func `changes before sending are one operation under the last id`() throws {
    try bench.create(["title": .text("a")])
    let first = row(0).id
    try bench.change(["title": .text("b")])
    try bench.change(["notes": .text("c")])
    #expect(bench.record.rows.count == 1)
    #expect(row(0).id != first)
    #expect(row(0).creates)
    #expect(row(0).fields.names == ["notes", "title"])
    #expect(row(0).fields["title"]?.stamp == State.stamp(101))
  }

  @Test mutating func `a change while the operation is in flight becomes a row behind it`() throws {
    try bench.create(["title": .text("a")])
    let sent = bench.send()
    try bench.change(["title": .text("b")])
    try bench.change(["title": .text("c")])
    #expect(bench.record.rows.count == 2)
    #expect(row(0) == sent)
    #expect(row(1).fields["title"]?.value == .text("c"))
    #expect(!row(1).creates)
    #expect(bench.view == ["title": "c"])
  }

  @Test mutating func `a row of an earlier replica id is closed`() throws {
    try bench.create(["title": .text("a")])
    bench.clock.replica = ReplicaID(rawValue: 2)
    try bench.change(["title": .text("b")])
    #expect(bench.record.rows.count == 2)
    #expect(row(1).replica == ReplicaID(rawValue: 2))
    #expect(over("title", row: 1)?.origin == State.stamp(100))
  }

  @Test mutating func `the base value is what the view showed before the row's first change`()
    throws
  {
    bench.absorb(State.state(["title": ("a", State.stamp(1))]))
    try bench.change(["title": .text("b")])
    try bench.change(["title": .text("c")])
    #expect(row(0).fields["title"]?.base == .text("a"))
    bench.send()
    try bench.change(["title": .text("d")])
    #expect(row(1).fields["title"]?.base == .text("c"))
  }

  // MARK: - What the writer had seen

  @Test mutating func `over is nothing where nothing was shown`() throws {
    try bench.create(["title": .text("a")])
    #expect(over("title") == nil)
  }

  @Test mutating func `over is base's settled stamp and origin`() throws {
    var state = State.state([:])
    state.fields["title"] = FieldState(
      value: .text("a"), stamp: State.stamp(5), origin: State.stamp(9, by: 3))
    bench.absorb(state)
    try bench.change(["title": .text("b")])
    #expect(over("title") == Over(stamp: State.stamp(5), origin: State.stamp(9, by: 3)))
  }

  @Test mutating func `a second change of the same row keeps over`() throws {
    bench.absorb(State.state(["title": ("a", State.stamp(5))]))
    try bench.change(["title": .text("b")])
    try bench.change(["title": .text("c")])
    #expect(over("title")?.origin == State.stamp(5))
  }

  @Test mutating func `over is renewed where the view meanwhile showed base's value`() throws {
    bench.absorb(State.state(["title": ("a", State.stamp(5))]))
    try bench.change(["title": .text("b")])
    bench.absorb(State.state(["title": ("x", State.stamp(500, by: 2))], revision: 2))
    #expect(bench.view == ["title": "x"])
    try bench.change(["title": .text("c")])
    #expect(over("title")?.origin == State.stamp(500, by: 2))
  }

  @Test mutating func `over is inherited from the value in flight, with its origin`() throws {
    bench.absorb(State.state(["title": ("a", State.stamp(5))]))
    try bench.change(["title": .text("b")])
    bench.send()
    try bench.change(["title": .text("c")])
    #expect(over("title", row: 1) == Over(stamp: State.stamp(5), origin: State.stamp(100)))
  }

  @Test mutating func `over behind a losing value in flight is base's`() throws {
    try bench.create(["title": .text("b")])
    bench.send()
    bench.absorb(State.state(["title": ("x", State.stamp(500, by: 2))]))
    try bench.change(["title": .text("c")])
    let seen = Over(stamp: State.stamp(500, by: 2), origin: State.stamp(500, by: 2))
    #expect(over("title", row: 1) == seen)
  }

  @Test mutating func `a new stamp is later than all that was seen, however slow the clock`() throws
  {
    bench.wall = 1
    bench.absorb(State.state(["title": ("a", State.stamp(5_000, by: 2))]))
    try bench.change(["title": .text("b")])
    let stamp = try #require(row(0).fields["title"]?.stamp)
    #expect(State.stamp(5_000, by: 2) < stamp)
  }

  // MARK: - Seeds

  @Test mutating func `a seed carries the floor stamp and leaves the clock alone`() throws {
    let clock = bench.clock
    try bench.seed(["title": .text("a")])
    #expect(row(0).fields["title"]?.stamp == .floor)
    #expect(row(0).creates)
    #expect(bench.clock == clock)
  }

  @Test mutating func `a seed never overwrites what somebody wrote`() throws {
    try bench.create(["title": .text("a")])
    let names = try bench.seed(["title": .text("z"), "notes": .text("n")])
    #expect(names == ["notes"])
    #expect(bench.view == ["title": "a", "notes": "n"])
  }

  @Test mutating func `of two seeds the greater canonical bytes stand`() throws {
    try bench.seed(["title": .text("e\u{301}")])
    let greater = try bench.seed(["title": .text("\u{E9}")])
    let smaller = try bench.seed(["title": .text("e")])
    #expect(greater == ["title"])
    #expect(smaller.isEmpty)
    #expect(bench.record.view?.fields["title"]?.value == .text("\u{E9}"))
  }

  @Test mutating func `the same seed again is nothing`() throws {
    try bench.seed(["title": .text("a")])
    let id = row(0).id
    let names = try bench.seed(["title": .text("a")])
    #expect(names.isEmpty)
    #expect(row(0).id == id)
  }

  @Test mutating func `an edit replaces a seed in the same row`() throws {
    try bench.seed(["title": .text("z")])
    try bench.change(["title": .text("a")])
    #expect(bench.record.rows.count == 1)
    #expect(row(0).fields["title"]?.stamp == State.stamp(101))
    #expect(bench.view == ["title": "a"])
  }

  @Test mutating func `an empty seed of a new record makes the record`() throws {
    try bench.seed([:])
    #expect(bench.record.view != nil)
    #expect(row(0).creates)
  }

  // MARK: - Deletion

  @Test mutating func `a deletion hides the record and keeps it`() throws {
    try bench.create(["title": .text("a")])
    let isDeleted = try bench.delete()
    #expect(isDeleted)
    #expect(bench.record.view?.deleted == State.stamp(101))
    #expect(bench.view == ["title": "a"])
    #expect(bench.record.rows.count == 1)
  }

  @Test mutating func `deleting what is not there changes nothing`() throws {
    let first = try bench.delete()
    try bench.create(["title": .text("a")])
    try bench.delete()
    let again = try bench.delete()
    #expect(!first)
    #expect(!again)
  }

  @Test mutating func `a deletion that was never sent can be taken back`() throws {
    bench.absorb(State.state(["title": ("a", State.stamp(1))]))
    try bench.delete()
    let id = bench.newOperation()
    let isBack = bench.record.withdrawDeletion(operation: id, by: bench.clock.replica)
    #expect(isBack)
    #expect(bench.record.rows.isEmpty)
    #expect(bench.record.view?.deleted == nil)
  }

  @Test mutating func `taking a deletion back keeps the changes it was collapsed with`() throws {
    try bench.create(["title": .text("a")])
    try bench.delete()
    let id = bench.newOperation()
    let isBack = bench.record.withdrawDeletion(operation: id, by: bench.clock.replica)
    #expect(isBack)
    #expect(row(0).id == id)
    #expect(row(0).creates)
    #expect(bench.view == ["title": "a"])
  }

  @Test mutating func `a deletion in flight cannot be taken back`() throws {
    try bench.create(["title": .text("a")])
    try bench.delete()
    bench.send()
    let isBack = bench.record.withdrawDeletion(
      operation: bench.newOperation(), by: bench.clock.replica)
    #expect(!isBack)
    #expect(bench.record.view?.deleted != nil)
  }

  @Test mutating func `one that a file which is gone may have sent cannot, either`() throws {
    try bench.create(["title": .text("a")])
    try bench.delete()
    let isBack = bench.record.withdrawDeletion(
      operation: bench.newOperation(), by: ReplicaID(rawValue: 2))
    #expect(!isBack)
    #expect(bench.record.view?.deleted != nil)
  }

  // MARK: - Refusals

  @Test mutating func `what is refused says why and changes nothing`() throws {
    let before = bench.record
    #expect(throws: WriteRefusal.noSuchRecord(State.key)) {
      try bench.change(["title": .text("a")])
    }
    #expect(bench.record == before)
    try bench.create(["title": .text("a")])
    #expect(throws: WriteRefusal.exists(State.key)) { try bench.create(["title": .text("b")]) }
    try bench.delete()
    #expect(throws: WriteRefusal.deleted(State.key)) { try bench.create(["title": .text("b")]) }
    #expect(throws: WriteRefusal.deleted(State.key)) { try bench.change(["title": .text("b")]) }
    #expect(throws: WriteRefusal.deleted(State.key)) { try bench.seed(["title": .text("b")]) }
  }

  @Test mutating func `a change that no operation could carry names the limit`() throws {
    let large = FieldValue.bytes([UInt8](repeating: 1, count: 2 << 20))
    let clock = bench.clock
    #expect {
      try bench.create(["cover": large])
    } throws: { error in
      guard case .tooLarge(_, let bytes, let limit)? = error as? WriteRefusal else { return false }
      return bytes > limit && limit == Limits.operationBytes
    }
    #expect(bench.record.rows.isEmpty)
    #expect(bench.clock == clock)
  }

  @Test mutating func `a row that would grow too large is followed by another`() throws {
    let half = FieldValue.bytes([UInt8](repeating: 1, count: 900_000))
    try bench.create(["cover": half])
    try bench.change(["back": half])
    #expect(bench.record.rows.count == 2)
    #expect(row(0).creates)
    #expect(!row(1).creates)
    try bench.change(["title": .text("a")])
    #expect(bench.record.rows.count == 2)
  }

  @Test func `every refusal has words that say what to do`() {
    let refusals: [WriteRefusal] = [
      .noSuchRecord(State.key), .deleted(State.key), .exists(State.key),
      .tooLarge(State.key, bytes: 9, limit: 8),
    ]
    for refusal in refusals {
      #expect(refusal.message.contains(State.key.id.text))
      #expect(refusal.message.contains("; "))
    }
  }
}

import CommuteCore
import Testing

@Suite struct DeviceRecordSettlingTests {
  var bench = DeviceBench()

  typealias State = DeviceBench

  func row(_ index: Int) -> Operation { bench.record.rows[index].operation }

  /// A base of one title, told at revision 1.
  mutating func startFromBase() {
    bench.absorb(State.state(["title": ("old", State.stamp(5, by: 2))]))
  }

  // MARK: - Marking

  @Test mutating func `marking freezes base and epoch and counts the attempt`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    let sent = bench.send()
    #expect(sent.base == Revision(epoch: State.epoch, number: 1))
    #expect(sent.epoch == State.epoch)
    #expect(bench.record.rows[0].isInFlight)
    #expect(bench.record.rows[0].attempts == 1)
    #expect(bench.record.rows[0].unanswered == 1)
  }

  @Test mutating func `marking again changes the counts only`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    let first = bench.send()
    bench.absorb(State.state(["title": ("x", State.stamp(6, by: 2))], revision: 9))
    let second = bench.send()
    #expect(first == second)
    #expect(bench.record.rows[0].attempts == 2)
    #expect(bench.record.rows[0].unanswered == 2)
  }

  @Test mutating func `an answer that settled nothing takes the mark back`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    bench.record.noteUnsettled()
    #expect(bench.record.rows[0].unanswered == 0)
    #expect(bench.record.rows[0].isInFlight)
    bench.record.noteUnsettled()
    #expect(bench.record.rows[0].unanswered == 0)
  }

  // MARK: - Pages

  @Test mutating func `a page replaces the base, and what is pending stays laid over it`() throws {
    startFromBase()
    try bench.change(["title": .text("mine")])
    bench.absorb(
      State.state(
        ["title": ("theirs", State.stamp(6, by: 2)), "notes": ("n", State.stamp(6, by: 2))],
        revision: 2))
    #expect(bench.base == ["title": "theirs", "notes": "n"])
    #expect(bench.view == ["title": "mine", "notes": "n"])
    #expect(bench.record.rows.count == 1)
  }

  @Test mutating func `a page moves the clock past all its stamps`() {
    bench.absorb(
      State.state(["title": ("a", State.stamp(9_000, by: 2))], deleted: State.stamp(9_500, by: 2)))
    #expect(bench.clock.last == State.stamp(9_500).time)
  }

  @Test mutating func `a tombstone hides the record over pending edits`() throws {
    startFromBase()
    try bench.change(["title": .text("mine")])
    bench.absorb(
      State.state(["title": ("old", State.stamp(5, by: 2))], deleted: State.stamp(6, by: 2)))
    #expect(bench.record.view?.deleted != nil)
    #expect(bench.record.rows.count == 1)
  }

  // MARK: - Applied

  @Test mutating func `without the record the operation is merged into the base`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    let outcome = bench.settle(.applied)
    #expect(outcome.isSettled)
    #expect(outcome.rejections.isEmpty)
    #expect(bench.record.rows.isEmpty)
    #expect(bench.base == ["title": "a"])
    #expect(bench.record.base?.revision == Revision(epoch: State.epoch, number: 2))
    #expect(bench.record.base?.author == "ada")
    #expect(bench.record.base?.fields["title"]?.origin == State.stamp(100))
  }

  @Test mutating func `under the same revision the author stays who it was`() throws {
    bench.absorb(State.state(["title": ("a", .floor)]))
    bench.record.rows = [
      OutboxRow(
        operation: Operation(
          id: bench.newOperation(), schema: 1, replica: bench.clock.replica, key: State.key,
          feed: "books", creates: true,
          fields: ["title": OperationField(value: .text("a"), stamp: .floor)]))
    ]
    bench.send()
    _ = bench.settle(.applied, revision: 1)
    #expect(bench.record.base?.author == "ben")
  }

  @Test mutating func `with the record the base is replaced, not merged`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    let told = State.state(["title": ("other", State.stamp(50, by: 9))], revision: 3)
    _ = bench.settle(.applied, revision: 3, record: told)
    #expect(bench.record.base == told)
    #expect(bench.view == ["title": "other"])
  }

  @Test mutating func `a duplicate is settled like an application`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    let told = State.state(["title": ("a", State.stamp(100))], revision: 3, author: "ada")
    let outcome = bench.settle(.duplicate, revision: 3, record: told)
    #expect(outcome.isSettled)
    #expect(bench.record.base == told)
    #expect(bench.record.rows.isEmpty)
  }

  @Test mutating func `a verdict on another operation is late news`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    let before = bench.record
    let verdict = Verdict(id: OperationID(high: 9, low: 9), kind: .applied)
    let outcome = bench.record.settle(
      verdict, author: "ada", clock: &bench.clock, wall: bench.wall)
    #expect(!outcome.isSettled)
    #expect(bench.record == before)
  }

  @Test mutating func `a verdict on a row that is not in flight is late news`() throws {
    try bench.create(["title": .text("a")])
    let before = bench.record
    let outcome = bench.settle(.applied)
    #expect(!outcome.isSettled)
    #expect(bench.record == before)
  }

  // MARK: - Rows behind

  @Test mutating func `the row behind learns the settled stamp of what it replaced`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    try bench.change(["title": .text("b")])
    var told = State.state([:], revision: 2)
    told.fields["title"] = FieldState(
      value: .text("a"), stamp: State.stamp(60, by: 99), origin: State.stamp(100))
    _ = bench.settle(.applied, stamps: ["title": State.stamp(60, by: 99)], record: told)
    let over = row(0).fields["title"]?.over
    #expect(over == Over(stamp: State.stamp(60, by: 99), origin: State.stamp(100)))
    #expect(row(0).fields["title"]?.stamp == State.stamp(101))
  }

  @Test mutating func `if it lost, over stays`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    try bench.change(["title": .text("b")])
    let before = row(1).fields["title"]?.over
    let told = State.state(["title": ("x", State.stamp(99, by: 9))], revision: 2)
    _ = bench.settle(.applied, record: told)
    #expect(row(0).fields["title"]?.over == before)
  }

  @Test mutating func `a stamp that is no longer later than what it replaced is lifted`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    try bench.change(["title": .text("b"), "notes": .text("n")])
    var told = State.state([:], revision: 2)
    told.fields["title"] = FieldState(
      value: .text("a"), stamp: State.stamp(700, by: 99), origin: State.stamp(100))
    _ = bench.settle(.applied, stamps: ["title": State.stamp(700, by: 99)], record: told)
    let lifted = try #require(row(0).fields["title"]?.stamp)
    #expect(State.stamp(700, by: 99) < lifted)
    #expect(row(0).fields["notes"]?.stamp == State.stamp(101))
    #expect(bench.view["title"] == "b")
  }

  @Test mutating func `lifting keeps the order of several rows behind`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    try bench.change(["title": .text("b")])
    bench.clock.replica = ReplicaID(rawValue: 2)
    try bench.change(["title": .text("c")])
    #expect(bench.record.rows.count == 3)
    // The settled stamp lies between those of the two rows behind.
    let settled = Stamp(
      milliseconds: 101, counter: 5, replica: ReplicaID(rawValue: 99))
    var told = State.state([:], revision: 2)
    told.fields["title"] = FieldState(
      value: .text("a"), stamp: settled, origin: State.stamp(100))
    _ = bench.settle(.applied, stamps: ["title": settled], record: told)
    let first = try #require(row(0).fields["title"])
    let second = try #require(row(1).fields["title"])
    #expect(settled < first.stamp)
    #expect(first.stamp < second.stamp)
    #expect(second.over?.origin == first.stamp)
    #expect(bench.view["title"] == "c")
  }

  @Test mutating func `a seed behind is never lifted`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    bench.record.rows.append(
      OutboxRow(
        operation: Operation(
          id: bench.newOperation(), schema: 1, replica: bench.clock.replica, key: State.key,
          feed: "books", fields: ["title": OperationField(value: .text("s"), stamp: .floor)])))
    _ = bench.settle(.applied)
    #expect(row(0).fields["title"]?.stamp == .floor)
  }

  @Test mutating func `every stamp of a verdict moves the clock`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    _ = bench.settle(.applied, stamps: ["title": State.stamp(8_000, by: 99)])
    #expect(bench.clock.last >= State.stamp(8_000).time)
  }

  // MARK: - Rejected

  @Test mutating func `a refused row goes to the inbox, and the rows behind it go on`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    try bench.change(["notes": .text("n")])
    let told = State.state(["title": ("old", State.stamp(5, by: 2))])
    let outcome = bench.settle(.rejected(.invalid, message: "no"), record: told)
    #expect(outcome.isSettled)
    #expect(outcome.rejections.map { $0.code } == [.invalid])
    #expect(outcome.rejections[0].message == "no")
    #expect(outcome.rejections[0].record == told)
    #expect(bench.record.rows.count == 1)
    #expect(bench.view == ["title": "old", "notes": "n"])
  }

  @Test mutating func `behind a refused creation all rows go to the inbox`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    try bench.change(["notes": .text("n")])
    let outcome = bench.settle(.rejected(.invalid, message: "no"))
    #expect(outcome.rejections.count == 2)
    #expect(outcome.rejections[1].message.contains("no"))
    #expect(bench.record.rows.isEmpty)
    #expect(bench.record.view == nil)
  }

  @Test mutating func `a record that is gone takes base and rows with it`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    try bench.change(["title": .text("b")])
    let outcome = bench.settle(.rejected(.gone, message: "gone"))
    #expect(outcome.rejections.count == 2)
    #expect(bench.record.base == nil)
    #expect(bench.record.view == nil)
  }

  @Test mutating func `a refusal without the record leaves the base as it was`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    let outcome = bench.settle(.rejected(.feed, message: "no"))
    #expect(outcome.rejections.count == 1)
    #expect(bench.base == ["title": "old"])
  }

  @Test mutating func `a mismatch on an own operation is a refusal`() throws {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.send()
    let outcome = bench.settle(.rejected(.mismatch, message: "bytes"))
    #expect(outcome.rejections.map { $0.code } == [.mismatch])
  }

  @Test mutating func `a mismatch on one that a copy of the file sent is an acknowledgement`()
    throws
  {
    startFromBase()
    try bench.change(["title": .text("a")])
    bench.clock.replica = ReplicaID(rawValue: 2)
    bench.send()
    let told = State.state(["title": ("a", State.stamp(100))], revision: 4)
    let outcome = bench.settle(.rejected(.mismatch, message: "bytes"), record: told)
    #expect(outcome.isSettled)
    #expect(outcome.rejections.isEmpty)
    #expect(bench.record.base == told)
    #expect(bench.record.rows.isEmpty)
  }

  // MARK: - Later

  @Test mutating func `a deferred row stays in line, unsettled, until its time`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    let outcome = bench.settle(.later(.needs, afterMilliseconds: 5_000))
    #expect(!outcome.isSettled)
    #expect(bench.record.rows[0].unanswered == 0)
    #expect(bench.record.rows[0].notBefore == bench.wall + 5_000)
    #expect(!bench.record.rows[0].isDue(wall: bench.wall))
    #expect(bench.record.rows[0].isDue(wall: bench.wall + 5_000))
  }

  @Test mutating func `each time it waits twice as long, up to an hour`() throws {
    try bench.create(["title": .text("a")])
    var waits: [Int64] = []
    for _ in 0..<12 {
      bench.send()
      _ = bench.settle(.later(.needs, afterMilliseconds: 5_000))
      waits.append(bench.record.rows[0].notBefore - bench.wall)
    }
    #expect(waits.prefix(4) == [5_000, 10_000, 20_000, 40_000])
    #expect(waits.suffix(2) == [3_600_000, 3_600_000])
  }

  @Test mutating func `a server that asks for more than an hour is heard`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    bench.send()
    _ = bench.settle(.later(.offers, afterMilliseconds: 5_000_000))
    #expect(bench.record.rows[0].notBefore == bench.wall + 5_000_000)
  }

  @Test mutating func `deferred without a delay it may go at once`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    _ = bench.settle(.later(.reset, afterMilliseconds: 0))
    #expect(bench.record.rows[0].notBefore == 0)
  }
}

@testable import CommuteCore
import Testing

/// Writes at the very moment of what they meet, and what is exactly as much as can be.
@Suite struct SameMomentTests {
  var bench = ServerBench()

  @Test mutating func `a writer's next value wins also under the stamp of what it saw`() {
    let stamp = ServerBench.stamp(500)
    bench.create("first", at: stamp)
    let verdict = bench.settle(
      bench.operation(["title": "early"], at: stamp, over: Over(stamp: stamp, origin: stamp)))
    #expect(bench.title?.value == .text("early"))
    #expect(stamp < (verdict.stamps["title"] ?? .floor))
  }

  @Test mutating func `two values under one stamp of one writer are no conflict`() {
    bench.create("a")
    bench.settle(bench.operation(["title": "b"]))
    #expect(bench.title?.value == .text("b"))
    #expect(bench.state.records.count == 1)
  }

  @Test mutating func `a value whose moment was seen through a refused change is no conflict`() {
    let seen = ServerBench.stamp(600, by: 2)
    bench.create("seen", at: seen)
    let over = Over(stamp: seen, origin: ServerBench.stamp(77))
    bench.settle(bench.operation(["title": "a"], at: ServerBench.stamp(700), over: over))
    #expect(bench.title?.value == .text("a"))
    #expect(bench.state.records.count == 1)
  }

  @Test mutating func `a claim whose memory was purged is known by the value that carries it`() {
    let claim = ServerBench.stamp(9_000_000)
    bench.create("mine", at: claim)
    let before = bench.title
    bench.state.restamps = [:]
    bench.time += 1_000
    let verdict = bench.settle(bench.operation(["title": "mine"], at: claim))
    #expect(verdict.stamps["title"] == before?.stamp)
    #expect(bench.title == before)
    #expect(bench.outcome.restamps.isEmpty)
  }

  @Test mutating func `a claim overtakes earlier ones of its replica, and not itself`() {
    bench.create("a", at: ServerBench.stamp(9_000_000))
    let title = FieldKey(record: ServerBench.key, field: "title")
    func isOvertaken(_ claim: Stamp) -> Bool {
      bench.settlement.isOvertaken(claim, of: title, in: bench.state)
    }
    #expect(isOvertaken(ServerBench.stamp(8_999_999)))
    #expect(!isOvertaken(ServerBench.stamp(9_000_000)))
    #expect(!isOvertaken(ServerBench.stamp(8_999_999, by: 2)))
  }

  @Test mutating func `a server at the start of time takes stamps up to the limit`() {
    bench.time = 0
    let limit = 1 + Limits.skewMilliseconds
    let taken = bench.settle(
      bench.operation(["title": "a"], at: ServerBench.stamp(limit), creates: true))
    #expect(taken.stamps.isEmpty)
    let beyond = bench.settle(bench.operation(["title": "b"], at: ServerBench.stamp(limit + 1)))
    #expect(beyond.stamps["title"]?.replica == ServerBench.server)
  }

  @Test func `the stamp above the end of time can be read, and is above`() {
    let end = ServerBench.stamp(Stamp.latestReadMillisecond)
    for stamp in [end, Stamp(time: .max, replica: end.replica)] {
      let above = bench.state.stamp(justAbove: stamp)
      #expect(above.time == end.time + 1)
      #expect(Stamp(text: above.text) == above)
    }
  }

  @Test mutating func `a request that carries something is remembered, one that reads is not`() {
    bench.create()
    #expect(bench.outcome.notesRequest)
    let reading = bench.request([])
    bench.settle(reading)
    #expect(!bench.outcome.notesRequest)
  }

  @Test func `a merged record may be as long as the limit, and no longer`() {
    var state = RecordState()
    func length() -> Int { RecordMessage(key: ServerBench.key, state: state).encodedJSON().count }
    func fill(_ name: Key, _ count: Int) {
      state.fields[name] = FieldState(
        value: .text(String(repeating: "x", count: count)), stamp: ServerBench.stamp(500))
    }
    for number in 0..<16 { fill(Key("f\(number)"), 250_000) }
    fill("last", 0)
    let room = Limits.mergedBytes - length()
    fill("last", room)
    #expect(length() == Limits.mergedBytes)
    #expect(!bench.settlement.isTooLarge(state, key: ServerBench.key))
    fill("last", room + 1)
    #expect(bench.settlement.isTooLarge(state, key: ServerBench.key))
  }
}

/// How far one request follows a deletion.
@Suite struct ChildLimitTests {
  var family = FamilyBench()

  /// Makes a list with notes, deletes it, and counts the notes that live on.
  private mutating func left(of count: UInt64) -> Int {
    family.make("list", 1)
    for number in 1...count {
      let field = FieldState(value: FamilyBench.naming(1), stamp: ServerBench.stamp(500))
      family.bench.state.records[FamilyBench.key("note", number)] = StoredRecord(
        feed: "books", state: RecordState(fields: ["list": field]))
    }
    family.delete("list", 1)
    return (1...count).count { family.isAlive("note", $0) }
  }

  @Test mutating func `five hundred children go with their parent, and nothing stays open`() {
    let left = left(of: 500)
    #expect(left == 0)
    #expect(family.bench.state.openDeletions.isEmpty)
  }

  @Test mutating func `what is more goes with the next request`() {
    let left = left(of: 501)
    #expect(left == 1)
    #expect(family.bench.state.openDeletions.map { $0.parent } == [FamilyBench.key("list", 1)])
    family.make("list", 2)
    #expect(!(1...501).contains { family.isAlive("note", $0) })
    #expect(family.bench.state.openDeletions.isEmpty)
  }
}

/// Rules that the server decides, where a change meets a value of the same moment.
@Suite struct SameMomentDecidingTests {
  var bench = RuleBench()

  @Test mutating func `under serverWins a value whose moment was seen is replaced`() throws {
    try bench.create(0, ["server": .text("a")])
    try bench.sync()
    try bench.set(0, ["server": .text("b")])
    let current = try #require(bench.stored?.fields["server"])
    var operation = try bench.sent(0)
    // The writer saw it through a change of its own that was refused since.
    operation.fields["server"]?.over = Over(
      stamp: current.stamp, origin: DeviceBench.stamp(77, by: 5))
    _ = bench.settle(0, [operation], user: "ada")
    #expect(bench.held("server") == .text("b"))
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `a text claimed at the moment of the one that is there is no later`() throws {
    try bench.create(0, ["note": .text("one")])
    try bench.sync()
    try bench.set(0, ["note": .text("two")])
    let current = try #require(bench.stored?.fields["note"])
    var operation = try bench.sent(0)
    operation.fields["note"]?.stamp = current.stamp
    operation.fields["note"]?.base = nil
    _ = bench.settle(0, [operation], user: "ada")
    #expect(bench.held("note") == .text("two one"))
  }
}

import CommuteCore
import Testing

@Suite struct PurgeTests {
  static let day: Int64 = 86_400_000
  static let drawn = RecordKey(table: "book", id: RecordID(high: 0x018F_3C5E_7A10_7000, low: 1))
  static let fixed = RecordKey(table: "book", id: RecordID(high: 0x018F_3C5E_7A10_8000, low: 1))
  static let now = 400 * day

  static func device(_ replica: UInt64, seen day: Int64, at cursor: UInt64?) -> Purge.Progress {
    Purge.Progress(
      replica: ReplicaID(rawValue: replica), seenAt: day * Self.day, cursors: ["books": cursor])
  }

  static func purge(_ devices: Purge.Progress...) -> Purge {
    Purge(time: now, devices: devices)
  }

  @Test func `a tombstone goes after the retention time, not before`() {
    let purge = Self.purge()
    let went = [309, 310, 311].map { day in
      purge.mayGo(Self.drawn, revision: 3, deletedAt: day * Self.day, passed: 3)
    }
    #expect(went == [true, false, false])
  }

  @Test func `it waits for every device that was seen in time`() {
    let purge = Self.purge(
      Self.device(1, seen: 399, at: 9), Self.device(2, seen: 310, at: 4),
      Self.device(3, seen: 309, at: 1))
    let passed = purge.passed("books", head: 12)
    #expect(passed == 4)
    #expect(purge.mayGo(Self.drawn, revision: 4, deletedAt: 0, passed: passed))
    #expect(!purge.mayGo(Self.drawn, revision: 5, deletedAt: 0, passed: passed))
    #expect(purge.retired == [ReplicaID(rawValue: 3)])
  }

  @Test func `a device that reads from the start holds everything back`() {
    let purge = Self.purge(Self.device(1, seen: 399, at: nil))
    #expect(purge.passed("books", head: 12) == 0)
  }

  @Test func `a feed that nobody reads waits for nobody`() {
    let purge = Self.purge(Self.device(1, seen: 399, at: 2))
    #expect(purge.passed("desk", head: 12) == 12)
  }

  @Test func `a fixed id is never purged`() {
    #expect(!Self.purge().mayGo(Self.fixed, revision: 1, deletedAt: 0, passed: 9))
    #expect(Self.drawn.id.isDrawn)
    #expect(!Self.fixed.id.isDrawn)
  }

  @Test func `a conflict that was dismissed is, as it is told once`() {
    var key = Self.fixed
    key.table = ConflictEntry.table
    #expect(key.isForOnce)
    #expect(!Self.fixed.isForOnce)
    #expect(Self.purge().mayGo(key, revision: 1, deletedAt: 0, passed: 9))
    #expect(!Self.purge().mayGo(key, revision: 10, deletedAt: 0, passed: 9))
  }

  @Test func `times at the ends of their range trap nothing`() {
    let purge = Purge(
      retention: .max, time: .min,
      devices: [Purge.Progress(replica: ReplicaID(rawValue: 1), seenAt: .max, cursors: [:])])
    #expect(purge.retired.isEmpty)
    #expect(!purge.mayGo(Self.drawn, revision: 1, deletedAt: .max, passed: 9))
  }

  // MARK: - The server's rows

  func state() -> ServerState {
    var bench = ServerBench()
    bench.state.heads["books"] = FeedHead()
    for (number, key) in [Self.drawn, Self.fixed].enumerated() {
      bench.settle(bench.operation(["title": "a"], creates: true, key: key))
      if number == 0 {
        bench.settle(bench.operation(deleted: ServerBench.stamp(600), key: key))
      }
    }
    let future = bench.operation(
      ["title": "b"], at: ServerBench.stamp(9_000_000, by: 2), key: Self.fixed)
    bench.settle(future)
    return bench.state
  }

  @Test func `tombstones become stubs and the fence rises to the last of them`() {
    var state = state()
    state.purge(Self.purge(Self.device(1, seen: 399, at: 4))) { _ in 0 }
    #expect(state.records[Self.drawn] == nil)
    #expect(state.stubs == [Self.drawn])
    #expect(state.heads["books"]?.fence == 2)
    // The title that lost to one that had not seen it has a number of its own.
    #expect(state.heads["books"]?.head == 5)
    #expect(state.records[Self.fixed] != nil)
  }

  @Test func `where nothing goes no fence rises`() {
    var state = state()
    state.purge(Self.purge(Self.device(1, seen: 399, at: 1))) { _ in 0 }
    #expect(state.stubs.isEmpty)
    #expect(state.heads["books"]?.fence == 0)
  }

  @Test func `memories go with the replicas that are retired, and only with them`() {
    var state = state()
    #expect(state.operations.count == 4)
    #expect(state.restamps.count == 1)
    state.purge(
      Self.purge(Self.device(1, seen: 399, at: 4), Self.device(2, seen: 1, at: 0))
    ) { _ in Self.now }
    #expect(state.operations.count == 3)
    #expect(state.restamps.isEmpty)
    #expect(state.retired == [ReplicaID(rawValue: 2)])
  }
}

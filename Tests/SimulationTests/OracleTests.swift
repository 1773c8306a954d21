import Testing

@testable import CommuteSimulator

/// The judge is judged: each kind of wrong must be seen.
@Suite struct OracleTests {
  var oracle = Oracle(places: 4)
  let a = Content("a".utf8)
  let b = Content("b".utf8)

  func at(_ time: UInt64, by writer: UInt64 = 1) -> Moment { Moment(time: time, writer: writer) }

  /// Writes on a device over nothing, or over an earlier content.
  mutating func write(
    _ content: Content, on device: Int = 0, at moment: Moment,
    over seen: (Content, Moment)? = nil, version: Int = 1
  ) -> Breach? {
    oracle.wrote(
      device: device, place: 0, content: content, claimed: moment,
      seen: seen.map { (content: $0.0, origin: $0.1, stamp: $0.1) }, version: version)
  }

  @Test mutating func `a value that loses to one its writer had seen is a breach`() {
    _ = write(a, at: at(10))
    _ = write(b, on: 1, at: at(20, by: 2), over: (a, at(10)))
    let first = oracle.settled(device: 1, 0, b, claimed: at(20, by: 2), as: at(5, by: 9))
    let second = oracle.settled(device: 0, 0, a, claimed: at(10), as: at(10))
    #expect(first == nil)
    #expect(second?.invariant == 20)
  }

  @Test mutating func `a value that loses to one its writer had not seen is none`() {
    _ = write(a, at: at(10))
    _ = write(b, on: 1, at: at(20, by: 2))
    let first = oracle.settled(device: 0, 0, a, claimed: at(10), as: at(10))
    let second = oracle.settled(device: 1, 0, b, claimed: at(20, by: 2), as: at(5, by: 9))
    #expect(first == nil)
    #expect(second == nil)
    #expect(oracle.expected(at: 0)?.content == a)
  }

  @Test mutating func `a stamp before what it replaces is a breach`() {
    _ = write(a, at: at(10))
    let breach = write(b, at: at(9), over: (a, at(10)))
    #expect(breach?.invariant == 4)
  }

  @Test mutating func `a stamp before what its writer had sent is a breach`() {
    _ = write(a, at: at(10))
    oracle.sent(device: 0, 0, a, at(10), version: 2)
    let breach = oracle.wrote(
      device: 0, place: 1, content: b, claimed: at(10), seen: nil, version: 3)
    #expect(breach?.invariant == 4)
  }

  @Test mutating func `a value from nowhere is a breach, on the server and on a screen`() {
    let settled = oracle.settled(device: 0, 0, a, claimed: at(10), as: at(10))
    let shown = oracle.judgeView(device: 0, place: 0, content: a, origin: at(10))
    #expect(settled?.invariant == 12)
    #expect(shown?.invariant == 12)
  }

  @Test mutating func `a screen that shows less than its device wrote is a breach`() {
    _ = write(a, at: at(10))
    _ = write(b, at: at(11), over: (a, at(10)))
    let older = oracle.judgeView(device: 0, place: 0, content: a, origin: at(10))
    let nothing = oracle.judgeView(device: 0, place: 0, content: nil, origin: .start)
    let own = oracle.judgeView(device: 0, place: 0, content: b, origin: at(11))
    #expect(older?.invariant == 5)
    #expect(nothing?.invariant == 5)
    #expect(own == nil)
  }

  @Test mutating func `an edit that nobody accounts for is a breach`() {
    _ = write(a, at: at(10))
    #expect(oracle.judgeFates(waiting: [])?.invariant == 13)
    #expect(oracle.judgeFates(waiting: [(device: 0, place: 0)]) == nil)
    oracle.failed(device: 0, 0, a, claimed: at(10))
    #expect(oracle.judgeFates(waiting: []) == nil)
  }

  @Test mutating func `an edit replaced by the same device is accounted for, by another's is not`()
  {
    _ = write(a, at: at(10))
    _ = write(b, on: 1, at: at(20, by: 2), over: (a, at(10)))
    _ = oracle.settled(device: 1, 0, b, claimed: at(20, by: 2), as: at(20, by: 2))
    #expect(oracle.judgeFates(waiting: [])?.invariant == 13)
    _ = write(b, at: at(30), over: (b, at(20, by: 2)))
    _ = oracle.settled(device: 0, 0, b, claimed: at(30), as: at(30))
    #expect(oracle.judgeFates(waiting: []) == nil)
  }

  @Test mutating func `what had left a device must survive its power loss`() {
    _ = write(a, at: at(10), version: 3)
    let unsent = oracle.wentBack(device: 0, to: 2, isPowerLoss: true)
    #expect(unsent == nil)
    _ = write(b, at: at(20), version: 3)
    oracle.sent(device: 0, 0, b, at(20), version: 3)
    let sent = oracle.wentBack(device: 0, to: 2, isPowerLoss: true)
    #expect(sent?.invariant == 13)
  }

  @Test mutating func `a restored file may lose what had left`() {
    _ = write(a, at: at(10), version: 3)
    oracle.sent(device: 0, 0, a, at(10), version: 3)
    let breach = oracle.wentBack(device: 0, to: 2, isPowerLoss: false)
    #expect(breach == nil)
    #expect(oracle.judgeFates(waiting: []) == nil)
  }

  @Test mutating func `the server must hold what sorts last`() {
    _ = write(a, at: at(10))
    _ = write(b, on: 1, at: at(20, by: 2))
    _ = oracle.settled(device: 0, 0, a, claimed: at(10), as: at(10))
    _ = oracle.settled(device: 1, 0, b, claimed: at(20, by: 2), as: at(20, by: 2))
    #expect(oracle.judgeServer(place: 0, content: b, stamp: at(20, by: 2)) == nil)
    #expect(oracle.judgeServer(place: 0, content: a, stamp: at(10))?.invariant == 12)
    #expect(oracle.judgeServer(place: 0, content: nil, stamp: .start)?.invariant == 12)
    #expect(oracle.judgeServer(place: 1, content: a, stamp: at(10))?.invariant == 12)
  }

  @Test mutating func `of equal moments the greater bytes stand, canonical equivalence or not`() {
    let composed = Content("\u{E9}".utf8)
    let decomposed = Content("e\u{301}".utf8)
    for (device, content) in [composed, decomposed].enumerated() {
      _ = oracle.wrote(
        device: device, place: 0, content: content, claimed: .start, seen: nil, version: 1,
        isSeed: true)
      _ = oracle.settled(device: device, 0, content, claimed: .start, as: .start)
    }
    #expect(oracle.expected(at: 0)?.content == composed)
  }

  @Test mutating func `an earlier claim that a lost history told a later moment gave way`() {
    _ = write(b, at: at(10))
    _ = write(a, at: at(11), over: (b, at(10)))
    let before = oracle.marks
    _ = oracle.settled(device: 0, 0, a, claimed: at(11), as: at(5, by: 9))
    _ = oracle.settled(device: 0, 0, b, claimed: at(10), as: at(5, by: 9))
    oracle.serverWentBack(to: before)
    _ = oracle.settledAgain(device: 0, 0, a, origin: at(11), as: at(5, by: 9))
    #expect(oracle.gaveWay(1, to: a, at(5, by: 9)))
    #expect(!oracle.gaveWay(1, to: Content("0".utf8), at(5, by: 9)))
    #expect(oracle.judgeFates(waiting: []) == nil)
  }

  @Test mutating func `a record is deleted exactly if somebody deleted it`() {
    #expect(oracle.judgeDeletion(place: 3, isDeleted: true)?.invariant == 12)
    _ = oracle.wrote(
      device: 0, place: 3, content: .nothing, claimed: at(5), seen: nil, version: 1)
    _ = oracle.settled(device: 0, 3, .nothing, claimed: at(5), as: at(5))
    #expect(oracle.judgeDeletion(place: 3, isDeleted: true) == nil)
    #expect(oracle.judgeDeletion(place: 3, isDeleted: false)?.invariant == 3)
  }

  @Test func `contents sort like their bytes`() {
    let texts = ["", "a", "ab", "abcdefgh", "abcdefghi", "b", "e\u{301}", "\u{E9}"]
    for (index, one) in texts.enumerated() {
      for other in texts[(index + 1)...] {
        #expect(Content(one.utf8) < Content(other.utf8))
        #expect(Content(one.utf8) != Content(other.utf8))
      }
    }
  }
}

/// What the judge of fields with rules knows of values that come again.
@Suite struct RuleOracleTests {
  var oracle = RuleOracle(rules: [.clientWins])

  /// An edit comes to the server; gives the one that lost by it.
  mutating func come(_ number: Int, at time: UInt64, by writer: UInt64) -> Int {
    oracle.came(
      [number], to: 0, claim: Moment(time: time, writer: writer), stands: number,
      isOfOtherEpoch: false)
  }

  @Test mutating func `what comes again and wins has others lose to it, what loses does not`() {
    let first = oracle.wrote(RuleEdit())
    let second = oracle.wrote(RuleEdit())
    #expect(come(first, at: 1, by: 1) == 0)
    #expect(come(second, at: 2, by: 2) == first)
    // A copy of the file sends the first one once more, under an id of its own.
    #expect(come(first, at: 3, by: 3) == second)
    #expect(oracle.fields[0].current == first)
    // What was settled before does not win again, and lost long ago.
    #expect(come(second, at: 2, by: 2) == 0)
    #expect(oracle.fields[0].current == first)
  }
}

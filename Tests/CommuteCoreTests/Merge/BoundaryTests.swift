@testable import CommuteCore
import Testing

/// Values at the very edge of what a rule, a limit or a form tells apart.
@Suite struct BoundaryTests {
  @Test func `zeros of both signs are one value, and neither is less`() {
    let minus = FieldValue.double(-0.0)
    let plus = FieldValue.double(0.0)
    #expect(!minus.isLess(than: plus))
    #expect(!plus.isLess(than: minus))
    #expect(FieldValue.double(1).isLess(than: .double(2)))
    #expect(!FieldValue.double(2).isLess(than: .double(1)))
  }

  @Test func `what its writer did not see is not laid over a later value`() {
    var state = DeviceBench.state(["a": ("x", DeviceBench.stamp(9))])
    let before = state
    let operation = Operation(
      id: OperationID(high: 0, low: 1), schema: 1, replica: ReplicaID(rawValue: 1),
      key: DeviceBench.key, feed: "books",
      fields: ["a": OperationField(value: .text("y"), stamp: DeviceBench.stamp(5))])
    state.lay(operation)
    #expect(state == before)
  }

  @Test func `names that only one copy has are all there, wherever they stand`() {
    func map(_ names: Key...) -> FieldMap<FieldState> {
      FieldMap(names.map { ($0, FieldState(value: .null, stamp: DeviceBench.stamp(1))) })
    }
    let short = map("b")
    let long = map("a", "b", "c", "d", "e")
    #expect(short.merged(with: long).names == long.names)
    #expect(long.merged(with: short).names == long.names)
  }

  @Test func `a merged text may be as long as a field can be, and no longer`() {
    for length in [Limits.textBytes - 4, Limits.textBytes - 3] {
      let base = String(repeating: "x", count: length)
      let mine = FieldValue.text("A " + base)
      let outcome = TextMerge.merge(
        base: .text(base), mine: mine, theirs: .text(base + " B"), mineIsLater: true)
      let fits = length + 4 <= Limits.textBytes
      #expect(outcome.value == (fits ? .text("A " + base + " B") : mine))
      #expect(outcome.isConflict == !fits)
    }
  }

  @Test(arguments: [255, 256, 70_000]) func `a key of long values is parted by their lengths`(
    count: Int
  ) {
    let text = FieldValue.text(String(repeating: "x", count: count))
    let canonical = text.canonicalBytes
    let length = [24, 16, 8, 0].map { UInt8(canonical.count >> $0 & 0xFF) }
    let bytes =
      Array("books".utf8) + [0] + Array("book".utf8) + [0] + Array("isbn".utf8) + [0] + length
      + canonical
    let key = UniqueKey("isbn", rule: .first)
    #expect(
      key.identity(feed: "books", table: "book") { _ in text }
        == RecordID.derived(namespace: "commute.key", bytes: bytes))
  }

  @Test func `names of one letter are names`() {
    let account = Account(owner: "a/b")
    #expect(account == Account(tenant: "a", user: "b"))
    #expect(Account(owner: "/b") == nil)
    #expect(Account(owner: "a/") == nil)
  }

  @Test func `where nobody asks for a wait there may be none`() {
    let backoff = Backoff(firstDelay: 1, delayLimit: 1, leastDelay: 0)
    #expect(backoff.delay(afterFailures: 1, draw: 0) == 0)
  }

  @Test func `a round that carried nothing says nothing about the batch`() {
    var conversation = Conversation()
    _ = conversation.handle(.changed)
    conversation.noteSent(0)
    let effects = conversation.handle(.failed(.tooLarge, wall: 0, draw: 0))
    #expect(effects == [.exchange(batch: 250)])
    conversation.noteSent(1)
    _ = conversation.handle(.failed(.tooLarge, wall: 0, draw: 0))
    #expect(conversation.batch == 1)
  }
}

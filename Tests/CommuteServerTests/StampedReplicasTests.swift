import CommuteCore
import CommuteServer
import CommuteTestKit
import Testing

@Suite struct `the replicas of an answer` {
  @Test func `are the same whether a record is read or only looked through`() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let record = Self.record(using: &random)
      var read = StampedReplicas()
      read.add(record)
      var encoded = StampedReplicas()
      encoded.add(
        RecordMessage(key: record.key, state: RecordState(), encoded: record.encodedJSON()))
      #expect(Set(read.found) == Set(encoded.found))
    }
  }

  @Test func `bytes of any kind end the search`() {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<2_000 {
      let count = Int.random(in: 1..<80, using: &random)
      let alphabet = Array("\"\\-0a{:,".utf8)
      let bytes = (0..<count).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      var replicas = StampedReplicas()
      replicas.add(
        RecordMessage(
          key: RecordKey(table: "book", id: .zero), state: RecordState(), encoded: bytes))
      #expect(replicas.found.isEmpty)
    }
  }

  /// A record with texts that are hard to look through.
  private static func record(using random: inout SeededGenerator) -> RecordMessage {
    let texts = ["", "\"", "\\", "\\\"", "a\\", "018bcfe56800-0001-", "\u{1F600}", "\",\""]
    var state = RecordState(
      revision: Revision(epoch: Epoch(rawValue: random.next()), number: 1), author: "ann")
    for name: Key in ["a", "b\"", "c\\", "d"] where Bool.random(using: &random) {
      let text = texts[Int.random(in: 0..<texts.count, using: &random)]
      let stamp = stamp(using: &random)
      let origin = Bool.random(using: &random) ? stamp : Self.stamp(using: &random)
      state.fields[name] = FieldState(value: .text(text), stamp: stamp, origin: origin)
    }
    if Bool.random(using: &random) { state.deleted = stamp(using: &random) }
    return RecordMessage(key: RecordKey(table: "book", id: .zero), state: state)
  }

  private static func stamp(using random: inout SeededGenerator) -> Stamp {
    Stamp(
      milliseconds: 1_700_000_000_000, counter: 1,
      replica: ReplicaID(rawValue: UInt64.random(in: 1...4, using: &random)))
  }
}

import CommuteCore
import CommuteTestKit
import Testing

@Suite struct IdentifierTests {
  @Test func `an id goes to text and bytes and back`() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<500 {
      let id = OperationID.random(using: &random)
      #expect(OperationID(text: id.text) == id)
      #expect(OperationID(bytes: id.bytes) == id)
      #expect(id.text.utf8.count == 36)
    }
  }

  @Test func `the order of ids is that of their bytes and of their texts`() {
    var random = SeededGenerator(seed: 3)
    var ids = (0..<200).map { _ in RecordID(high: random.next() % 3, low: random.next()) }
    ids.sort()
    #expect(ids.map(\.text) == ids.map(\.text).sorted())
    #expect(zip(ids, ids.dropFirst()).allSatisfy { !$1.bytes.lexicographicallyPrecedes($0.bytes) })
  }

  @Test(arguments: [
    "", "018f3c5e-7a10-7000-8000-0123456789a", "018f3c5e-7a10-7000-8000-0123456789abc",
    "018F3C5E-7a10-7000-8000-0123456789ab", "018f3c5e 7a10-7000-8000-0123456789ab",
    "018f3c5e-7a10-7000-8000-0123456789ag", "018f3c5e7a10-7000-8000-0123456789abcd",
    "{18f3c5e-7a10-7000-8000-0123456789ab", "018f3c5e-7a10-7000-8000-0123456789\u{E9}",
  ])
  func `other texts are no ids`(text: String) {
    #expect(RecordID(text: text) == nil)
  }

  @Test func `bytes of another count are no id`() {
    #expect(RecordID(bytes: []) == nil)
    #expect(RecordID(bytes: [UInt8](repeating: 0, count: 15)) == nil)
    #expect(RecordID(bytes: [UInt8](repeating: 0, count: 17)) == nil)
  }

  @Test func `a new id carries its millisecond, the version 7 and the variant`() {
    var random = SeededGenerator(seed: 4)
    for millisecond: UInt64 in [0, 1_700_000_000_000, (1 << 48) - 1, UInt64.max] {
      let id = RecordID.new(milliseconds: millisecond, using: &random)
      #expect(id.high >> 16 == millisecond & 0xFFFF_FFFF_FFFF)
      #expect(id.high >> 12 & 0xF == 7)
      #expect(id.low >> 62 == 2)
    }
  }

  @Test func `derived ids differ by namespace and bytes, and are of version 8`() {
    let one = RecordID.derived(namespace: "a", bytes: [1])
    #expect(one == RecordID.derived(namespace: "a", bytes: [1]))
    // A zero byte parts both, so that "a" + "b" is not "ab".
    #expect(one != RecordID.derived(namespace: "a\u{1}", bytes: []))
    #expect(one != RecordID.derived(namespace: "b", bytes: [1]))
    #expect(one.high >> 12 & 0xF == 8)
    #expect(one.low >> 62 == 2)
  }

  @Test func `epochs, replicas and digests go to text and back`() {
    var random = SeededGenerator(seed: 5)
    let replica = ReplicaID.random(using: &random)
    #expect(ReplicaID(text: replica.text) == replica)
    let epoch = Epoch(rawValue: 0xAB)
    #expect(epoch.text == "00000000000000ab")
    #expect(Epoch(text: epoch.text) == epoch)
    #expect(Epoch(text: "00000000000000AB") == nil)
    #expect(Epoch(text: "0ab") == nil)
    let digest = SHA256.hash([1, 2, 3])
    #expect(SHA256.Digest(text: digest.text) == digest)
    #expect(SHA256.Digest(text: "x" + digest.text.dropFirst()) == nil)
    #expect(SHA256.Digest(text: "") == nil)
  }

  @Test func `zero is never drawn as a replica`() {
    struct Zeros: RandomNumberGenerator {
      func next() -> UInt64 { 0 }
    }
    var zeros = Zeros()
    #expect(ReplicaID.random(using: &zeros) != Stamp.floor.replica)
  }
}

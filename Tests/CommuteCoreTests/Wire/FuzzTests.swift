import CommuteCore
import CommuteTestKit
import Testing

/// Bytes from a hostile or broken sender: every one of them is read or refused, none traps.
@Suite struct FuzzTests {
  /// Pieces that mean something to a reader.
  static let pieces: [[UInt8]] = [
    "\"", "\\", "\\u", "\\ud800", "\\u0000", "{", "}", "[", "]", ":", ",", "null", "true", "-",
    "0", "1e999", "9007199254740993", "\"*\"", "[[[[[[[[", "{\"i\":", "{\"d\":", "{\"b\":",
    "\u{E9}",
    "\"protocol\":1", "\"protocol\":2", "\"fields\":{", "\"stamps\":{", "\"title\"",
    "\"018bcfe56800-0003-00000000000000a1\"", "\"018f3c5e-7a10-7000-8000-0123456789ab\"",
  ].map { Array($0.utf8) }

  static func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0...random.draw(4) {
      let at = random.draw(bytes.count + 1)
      let length = random.draw(min(40, bytes.count - at + 1))
      switch random.draw(7) {
      case 0: if at < bytes.count { bytes[at] = UInt8(truncatingIfNeeded: random.next()) }
      case 1: if at < bytes.count { bytes[at] ^= 1 << UInt8(random.draw(8)) }
      case 2: bytes.removeSubrange(at..<at + length)
      case 3: bytes.insert(contentsOf: pieces[random.draw(pieces.count)], at: at)
      case 4: bytes.insert(contentsOf: bytes[at..<at + length], at: random.draw(bytes.count + 1))
      case 5: bytes = Array(bytes.prefix(at))
      default:
        let piece = pieces[random.draw(pieces.count)]
        bytes.replaceSubrange(at..<at + length, with: piece)
      }
    }
    return bytes
  }

  @Test func `fifty thousand mutations are read or refused`() {
    var random = SeededGenerator(seed: 11)
    var bare = FullMessages.request
    bare.offers = []
    let request = bare.encoded()
    var small = FullMessages.answer
    small.verdicts.removeFirst()
    let answer = small.encoded()
    let record = FullMessages.record.encodedJSON()
    let operation = FullMessages.operation.encoded()
    var taken = 0
    for _ in 0..<12_500 {
      taken += Self.isStable(request: Self.mutated(request, &random)) ? 1 : 0
      taken += Self.isStable(answer: Self.mutated(answer, &random)) ? 1 : 0
      taken += Self.isStable(record: Self.mutated(record, &random)) ? 1 : 0
      taken += Self.isStable(operation: Self.mutated(operation, &random)) ? 1 : 0
    }
    // Most are refused; enough are taken for the second reading to mean something.
    #expect(taken > 1_000)
  }

  /// Whether a request is taken; what is taken is written so that it reads the same.
  static func isStable(request bytes: [UInt8]) -> Bool {
    guard let message = try? SyncRequest(decoding: bytes) else { return false }
    let again = message.encoded()
    #expect((try? SyncRequest(decoding: again)) == message)
    return true
  }

  static func isStable(answer bytes: [UInt8]) -> Bool {
    let general = Result { () throws(WireError) in try SyncAnswer(decoding: bytes) }
    let plain = Result { () throws(WireError) in try SyncAnswer(decodingPlain: bytes) }
    #expect(plain == general)
    guard let message = try? general.get() else { return false }
    let again = message.encoded()
    let read = try? SyncAnswer(decoding: again)
    #expect(read == message)
    #expect(read?.encoded() == again)
    return true
  }

  static func isStable(record bytes: [UInt8]) -> Bool {
    guard let message = try? RecordMessage(json: bytes) else { return false }
    let again = message.encodedJSON()
    let read = try? RecordMessage(json: again)
    #expect(read == message)
    #expect(read?.encodedJSON() == again)
    return true
  }

  static func isStable(operation bytes: [UInt8]) -> Bool {
    guard var message = try? Operation(decoding: bytes) else { return false }
    let again = message.encoded()
    message.digest = SHA256.hash(again)
    #expect((try? Operation(decoding: again)) == message)
    return true
  }

  @Test func `every beginning of a message is refused`() {
    let answer = FullMessages.answer.encoded()
    for count in 0..<answer.count {
      #expect(throws: WireError.self) { try SyncAnswer(decoding: Array(answer.prefix(count))) }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a hostile order or number of names costs little`() throws {
    // Backwards, so that each would go to the front of a sorted list.
    let count = 60_000
    let names = (0..<count).map { "f\(1_000_000 - $0)" }
    let stamp = FullMessages.stamp.text
    let fields = names.map { "\"\($0)\":1e0" }.joined(separator: ",")
    let json =
      "{\"id\":\"\(FullMessages.id.text)\",\"table\":\"t\",\"x\":{\(fields)},"
      + "\"stamps\":{\"\(stamp)\":[" + names.reversed().map { "\"\($0)\"" }.joined(separator: ",")
      + "]},\"fields\":{" + names.map { "\"\($0)\":null" }.joined(separator: ",") + "}}"
    let record = try RecordMessage(json: Array(json.utf8))
    #expect(record.state.fields.count == count)
  }
}

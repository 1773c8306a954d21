import CommuteCore
import Testing

@Suite struct FieldValueTests {
  /// A value of each kind, some of them alike at first sight.
  static let values: [FieldValue] = [
    .null, .boolean(false), .boolean(true), .integer(0), .integer(-1), .integer(.min),
    .integer(5), .double(0), .double(5), .double(-1.5), .double(.greatestFiniteMagnitude),
    .text(""), .text("a"), .text("\u{E9}"), .text("e\u{301}"), .bytes([]), .bytes([0x61]),
    .instant(5), .instant(-5), .list([]), .list([""]), .list(["a"]), .list(["a", ""]),
    .list(["\u{E9}"]), .list(["e\u{301}"]), .unknown(Array("{\"x\":1}".utf8)),
  ]

  @Test func `equality, order and hash go by canonical bytes`() {
    for one in Self.values {
      for other in Self.values {
        let left = one.canonicalBytes
        let right = other.canonicalBytes
        #expect((one == other) == (left == right))
        #expect((one < other) == left.lexicographicallyPrecedes(right))
        if one == other { #expect(one.hashValue == other.hashValue) }
      }
    }
    #expect(Set(Self.values).count == Self.values.count)
  }

  @Test func `negative zero is zero`() {
    #expect(FieldValue.double(-0.0) == .double(0))
    #expect(FieldValue.double(-0.0).canonicalBytes == FieldValue.double(0).canonicalBytes)
    #expect(FieldValue.double(-0.0).json == Array("{\"d\":0}".utf8))
  }

  @Test func `values go to JSON and back`() throws {
    for value in Self.values {
      #expect(try FieldValue(json: value.json) == value)
    }
  }

  @Test func `what cannot be part of a record says why`() {
    for value in Self.values { #expect(value.refusal == nil) }
    #expect(FieldValue.double(.nan).refusal == .notFinite)
    #expect(FieldValue.double(-.infinity).refusal == .notFinite)
    #expect(FieldValue.text("a\u{0}b").refusal == .containsNUL)
    #expect(FieldValue.list(["", "\u{0}"]).refusal == .containsNUL)
    let limit = Limits.textBytes
    let long = String(repeating: "a", count: limit)
    #expect(FieldValue.text(long).refusal == nil)
    #expect(FieldValue.text(long + "a").refusal == .tooLarge(bytes: limit + 1, .text))
    #expect(FieldValue.list(["", long + "a"]).refusal == .tooLarge(bytes: limit + 1, .text))
    let bytes = [UInt8](repeating: 0, count: limit + 1)
    #expect(FieldValue.bytes(bytes).refusal == .tooLarge(bytes: limit + 1, .text))
    #expect(FieldValue.list([String](repeating: long, count: 17)).refusal != nil)
  }

  @Test func `the refusal tells people what to do and never the content`() {
    let message = FieldValue.text("secret\u{0}").refusal?.message ?? ""
    #expect(message.contains("NUL"))
    #expect(!message.contains("secret"))
  }
}

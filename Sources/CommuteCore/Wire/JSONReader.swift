/// What is wrong with JSON, and where; becomes a ``WireError`` at the edge.
struct JSONFault: Error {
  var problem: Problem
  var offset: Int
  /// The member that is missing, where one is.
  var member = WireMember.unknown

  enum Problem {
    case malformed(WireProblem)
    case tooLarge(WireLimit)
    case unsupportedProtocol(UInt64)
    case notOurs
  }

  init(_ problem: WireProblem, at offset: Int) {
    self.problem = .malformed(problem)
    self.offset = offset
  }

  init(_ limit: WireLimit, at offset: Int) {
    problem = .tooLarge(limit)
    self.offset = offset
  }

  init(missing member: WireMember, at offset: Int) {
    problem = .malformed(.missing)
    self.offset = offset
    self.member = member
  }
}

/// A text of JSON where it stands: the bytes between its quotes.
struct JSONText {
  var start: Int
  var end: Int
  /// Whether the bytes are the text, for want of escapes.
  var isPlain: Bool

  var count: Int { end - start }

  /// The high bit of each byte that is a quote, a backslash or a control character.
  ///
  /// Bytes above the lowest marked one may be marked in error; only the lowest is used.
  @inline(__always)
  static func special(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ ones &* 0x22
    let backslash = word ^ ones &* 0x5C
    let quotes = (quote &- ones) & ~quote
    let backslashes = (backslash &- ones) & ~backslash
    let controls = (word &- ones &* 0x20) & ~word
    return (quotes | backslashes | controls) & highs
  }
}

/// The members that an object has had so far.
struct JSONMembers {
  var seen: UInt64 = 0
  var isFirst = true
  /// The name of the member at hand.
  var name = JSONText(start: 0, end: 0, isPlain: true)
  /// Where in the reader's noted names those of this object begin.
  let firstNote: Int
  /// Which guess to try at the next name.
  var guess = 0

  @inline(__always)
  func has(_ member: WireMember) -> Bool { seen & 1 << UInt64(member.rawValue) != 0 }
}

/// Reads JSON (RFC 8259) from bytes that are known to be UTF-8, in one pass and without a tree.
///
/// It is stricter than the RFC where two readers could disagree: no member twice, no lone
/// surrogate, no NUL, depth bounded. No input traps.
///
/// It looks at a buffer without owning it, so it never outlives the call that lends the buffer;
/// every access goes through ``byte(_:)`` or a range that was checked against the end.
///
/// It is large, so every method that is not inlined is `mutating`: it then gets the reader's
/// address and not a copy.
@safe struct JSONReader {
  let buffer: UnsafeBufferPointer<UInt8>
  let end: Int
  var offset = 0
  var depth = 0
  /// How deep the value at hand may go; less than the message's limit inside values that are kept.
  var depthLimit = WireLimit.depth.value
  var cache = WireCache()
  /// Whether plain records of a page stay as they came.
  var keepsPlain = false
  let members = WireMemberTable.shared
  /// The names of all open objects that only their bytes tell apart.
  var noted: [JSONText] = []

  /// Begins at the start of a buffer, which must outlive the reader.
  @unsafe init(_ buffer: UnsafeBufferPointer<UInt8>) {
    unsafe self.buffer = buffer
    end = buffer.count
  }

  /// The byte at an offset; 0, which no JSON has outside of texts, beyond the end.
  @inline(__always)
  func byte(_ at: Int) -> UInt8 { at < end ? unsafe buffer[at] : 0 }

  @inline(__always)
  mutating func skipSpace() {
    if byte(offset) > 0x20 { return }
    while offset < end, case let byte = byte(offset),
      byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    { offset += 1 }
  }

  /// The next byte that is no space; 0 at the end.
  @inline(__always)
  mutating func peek() -> UInt8 {
    skipSpace()
    return byte(offset)
  }

  /// What to say where this byte cannot stand.
  mutating func unexpected(_ problem: WireProblem = .notJSON) -> JSONFault {
    JSONFault(offset >= end ? .endsEarly : problem, at: offset)
  }

  /// What to say where a value of another kind stands.
  mutating func expected(_ shape: WireShape) -> JSONFault {
    unexpected(Self.startsValue(byte(offset)) ? .expected(shape) : .notJSON)
  }

  private static func startsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x2D, 0x30...0x39, 0x5B, 0x66, 0x6E, 0x74, 0x7B: true
    default: false
    }
  }

  /// Enters an object or array.
  @inline(__always)
  mutating func open(_ bracket: UInt8, or shape: WireShape) throws(JSONFault) {
    guard peek() == bracket else { throw expected(shape) }
    guard depth < depthLimit else { throw JSONFault(.depth, at: offset) }
    depth += 1
    offset += 1
  }

  /// Enters an object.
  @inline(__always)
  mutating func openObject() throws(JSONFault) -> JSONMembers {
    try open(0x7B, or: .object)
    return JSONMembers(firstNote: noted.count)
  }

  /// Enters an array.
  @inline(__always)
  mutating func openArray() throws(JSONFault) { try open(0x5B, or: .array) }

  /// Stands before the next element of an array, or leaves it.
  @inline(__always)
  mutating func nextElement(isFirst: inout Bool) throws(JSONFault) -> Bool {
    let byte = peek()
    if byte == 0x5D {
      offset += 1
      depth -= 1
      return false
    }
    if isFirst {
      isFirst = false
    } else {
      guard byte == 0x2C else { throw unexpected() }
      offset += 1
      guard peek() != 0x5D else { throw unexpected() }
    }
    return true
  }

  /// Eight bytes, the first one lowest; the caller has checked that they are there.
  @inline(__always)
  func word(_ at: Int) -> UInt64 {
    unsafe UInt64(
      littleEndian: UnsafeRawBufferPointer(buffer).loadUnaligned(
        fromByteOffset: at, as: UInt64.self))
  }

  /// Whether a text without escapes has the bytes of a literal.
  @inline(__always)
  func isText(_ text: JSONText, _ literal: StaticString) -> Bool {
    guard text.isPlain, text.count == literal.utf8CodeUnitCount else { return false }
    for index in 0..<text.count {
      let expected = unsafe literal.utf8Start[index]
      if byte(text.start + index) != expected { return false }
    }
    return true
  }
}

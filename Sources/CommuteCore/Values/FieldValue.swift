/// The value of one field.
///
/// Equality, hashing and the order of ties go by canonical bytes, never by Swift's text comparison:
/// two texts that only look alike are two values.
public enum FieldValue: Sendable {
  /// No value.
  case null
  /// True or false.
  case boolean(Bool)
  /// A 64-bit integer.
  case integer(Int64)
  /// A finite number; negative zero becomes zero on the wire and in canonical bytes.
  case double(Double)
  /// UTF-8 text without NUL.
  case text(String)
  /// Bytes.
  case bytes([UInt8])
  /// Milliseconds since 1970-01-01T00:00:00Z.
  case instant(Int64)
  /// A list of texts.
  case list([String])
  /// A value of a kind this build does not know: its JSON, kept and relayed byte for byte.
  case unknown([UInt8])
}

extension FieldValue: Hashable, Comparable {
  /// Whether both have the same canonical bytes.
  public static func == (left: FieldValue, right: FieldValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let one), .boolean(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.instant(let one), .instant(let other)): one == other
    case (.double(let one), .double(let other)): one == other
    case (.text(let one), .text(let other)): one.hasSameBytes(as: other)
    case (.bytes(let one), .bytes(let other)): one == other
    case (.unknown(let one), .unknown(let other)): one == other
    case (.list(let one), .list(let other)):
      one.count == other.count && zip(one, other).allSatisfy { $0.hasSameBytes(as: $1) }
    default: false
    }
  }

  /// Orders by canonical bytes, the rule that decides between equal stamps.
  public static func < (left: FieldValue, right: FieldValue) -> Bool {
    switch (left, right) {
    case (.text(let one), .text(let other)): one.bytesPrecede(other)
    case (.integer(let one), .integer(let other)):
      UInt64(bitPattern: one) < UInt64(bitPattern: other)
    default: left.canonicalBytes.lexicographicallyPrecedes(right.canonicalBytes)
    }
  }

  /// Feeds the canonical bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(canonicalBytes)
  }

  /// One kind byte and the payload, as `Documentation/Protocol.md` lists them.
  public var canonicalBytes: [UInt8] {
    var bytes: [UInt8] = []
    appendCanonicalBytes(to: &bytes)
    return bytes
  }

  /// Appends the kind byte and the payload.
  public func appendCanonicalBytes(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(0)
    case .boolean(let flag):
      output.append(1)
      output.append(flag ? 1 : 0)
    case .integer(let number):
      output.append(2)
      Self.append(UInt64(bitPattern: number), to: &output)
    case .double(let number):
      output.append(3)
      Self.append(number == 0 ? 0 : number.bitPattern, to: &output)
    case .text(let text):
      output.append(4)
      output.append(contentsOf: text.utf8)
    case .bytes(let bytes):
      output.append(5)
      output.append(contentsOf: bytes)
    case .instant(let milliseconds):
      output.append(6)
      Self.append(UInt64(bitPattern: milliseconds), to: &output)
    case .list(let texts):
      output.append(7)
      for text in texts {
        Self.append(UInt32(truncatingIfNeeded: text.utf8.count), to: &output)
        output.append(contentsOf: text.utf8)
      }
    case .unknown(let json):
      output.append(255)
      output.append(contentsOf: json)
    }
  }

  /// Appends a number's bytes, the greatest first.
  static func append(_ number: some FixedWidthInteger, to output: inout [UInt8]) {
    var shift = number.bitWidth
    while shift > 0 {
      shift -= 8
      output.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

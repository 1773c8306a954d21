/// A 128-bit identifier, stored as two big-endian halves.
///
/// Its text is the 36 lower-case characters of a UUID; its bytes are the 16 bytes of that UUID.
public protocol Identifier: Hashable, Comparable, Sendable {
  /// The first eight bytes, big-endian.
  var high: UInt64 { get }
  /// The last eight bytes, big-endian.
  var low: UInt64 { get }
  /// Makes an identifier of its two halves.
  init(high: UInt64, low: UInt64)
}

extension Identifier {
  /// Orders by bytes.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  /// The 16 bytes, most significant first.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: high >> UInt64(shift)))
    }
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: low >> UInt64(shift)))
    }
    return bytes
  }

  /// Reads 16 bytes, most significant first; nil for any other count.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in 0..<8 {
      high = high << 8 | UInt64(bytes[index])
      low = low << 8 | UInt64(bytes[index + 8])
    }
    self.init(high: high, low: low)
  }

  /// The 36 lower-case characters, as `018f3c5e-7a10-7000-8000-0123456789ab`.
  public var text: String {
    var characters: [UInt8] = []
    characters.reserveCapacity(36)
    appendText(to: &characters)
    return String(decoding: characters, as: UTF8.self)
  }

  /// Appends the 36 characters as bytes.
  @inlinable
  public func appendText(to output: inout [UInt8]) {
    Hexadecimal.append(high >> 32, digits: 8, to: &output)
    output.append(0x2D)
    Hexadecimal.append(high >> 16 & 0xFFFF, digits: 4, to: &output)
    output.append(0x2D)
    Hexadecimal.append(high & 0xFFFF, digits: 4, to: &output)
    output.append(0x2D)
    Hexadecimal.append(low >> 48, digits: 4, to: &output)
    output.append(0x2D)
    Hexadecimal.append(low & 0xFFFF_FFFF_FFFF, digits: 12, to: &output)
  }

  /// Reads the 36-character text; nil for anything else, upper case included.
  public init?(text: String) {
    self.init(utf8: Array(text.utf8)[...])
  }

  /// Reads the 36 characters from bytes; nil for anything else, upper case included.
  @inlinable
  public init?(utf8 bytes: ArraySlice<UInt8>) {
    guard bytes.count == 36 else { return nil }
    let start = bytes.startIndex
    guard bytes[start + 8] == 0x2D, bytes[start + 13] == 0x2D, bytes[start + 18] == 0x2D,
      bytes[start + 23] == 0x2D,
      let first = Hexadecimal.read(bytes, from: start, digits: 8),
      let second = Hexadecimal.read(bytes, from: start + 9, digits: 4),
      let third = Hexadecimal.read(bytes, from: start + 14, digits: 4),
      let fourth = Hexadecimal.read(bytes, from: start + 19, digits: 4),
      let fifth = Hexadecimal.read(bytes, from: start + 24, digits: 12)
    else { return nil }
    self.init(high: first << 32 | second << 16 | third, low: fourth << 48 | fifth)
  }
}

/// Which record of a table; any 128 bits.
///
/// New ids are UUIDv7, derived ones UUIDv8, samples have constants. Nothing reads a time or an
/// order out of an id.
public struct RecordID: Identifier {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Makes an id of its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The id of all zeros, which no record has.
  public static let zero = RecordID(high: 0, low: 0)

  /// Makes a new UUIDv7.
  ///
  /// - Parameters:
  ///   - milliseconds: The wall clock; only its low 48 bits are used.
  ///   - generator: Where the 74 random bits come from.
  /// - Returns: An id that sorts roughly by time; nothing may rely on that.
  public static func new(
    milliseconds: UInt64, using generator: inout some RandomNumberGenerator
  ) -> RecordID {
    let first = generator.next()
    let second = generator.next()
    return RecordID(
      high: milliseconds << 16 | 0x7000 | first & 0x0FFF,
      low: second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// Derives the UUIDv8 that every device computes alike from the same name.
  ///
  /// It is the first 128 bits of SHA-256 over the namespace's UTF-8, one zero byte, and `bytes`,
  /// with the version (8) and variant bits set.
  public static func derived(namespace: String, bytes: [UInt8]) -> RecordID {
    var hash = SHA256()
    hash.update(Array(namespace.utf8))
    hash.update([0])
    hash.update(bytes)
    let digest = hash.finish()
    return RecordID(
      high: digest.first & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
      low: digest.second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

/// The idempotency key of one operation; 128 random bits.
public struct OperationID: Identifier {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Makes an id of its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Draws a new id.
  public static func random(using generator: inout some RandomNumberGenerator) -> OperationID {
    OperationID(high: generator.next(), low: generator.next())
  }
}

/// What a request is answered by name with; 128 random bits.
public struct Nonce: Identifier {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Makes a nonce of its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Draws a new nonce.
  public static func random(using generator: inout some RandomNumberGenerator) -> Nonce {
    Nonce(high: generator.next(), low: generator.next())
  }
}

/// The writing identity of one database file.
///
/// A file that was copied or restored takes a new one, so that no two files ever write stamps of
/// one id.
public struct ReplicaID: Hashable, Comparable, Sendable {
  /// The 64 random bits; written as 16 hexadecimal digits.
  public let rawValue: UInt64

  /// Makes an id of its bits.
  @inlinable
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Draws a new id; zero is the floor's and is never drawn.
  public static func random(using generator: inout some RandomNumberGenerator) -> ReplicaID {
    ReplicaID(rawValue: max(1, generator.next()))
  }

  /// Orders by number.
  @inlinable
  public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The 16 digits.
  public var text: String { Hexadecimal.text(rawValue, digits: 16) }

  /// Reads 16 digits; nil for anything else.
  public init?(text: String) {
    guard let number = Hexadecimal.read(text: text, digits: 16) else { return nil }
    rawValue = number
  }
}

/// When a field was changed: milliseconds, a counter within the millisecond, and who changed it.
///
/// The order is total: time, counter, replica. Where two stamps are equal the values' canonical
/// bytes decide (see ``FieldValue``).
public struct Stamp: Hashable, Comparable, Sendable {
  /// Milliseconds in the upper 48 bits, the counter in the lower 16.
  public var time: UInt64
  /// Who made the change.
  public var replica: ReplicaID

  /// The latest millisecond a wall clock is believed: 2^47, the year 6429.
  public static let latestMillisecond: UInt64 = 1 << 47

  /// The latest millisecond read from outside: some fifty days later, so that a clock which stands
  /// at the end of its range can still count.
  public static let latestReadMillisecond: UInt64 = latestMillisecond + (1 << 32)

  /// The stamp of seeds: earlier than everything anybody wrote.
  public static let floor = Stamp(time: 0, replica: ReplicaID(rawValue: 0))

  /// Makes a stamp of the packed time.
  @inlinable
  public init(time: UInt64, replica: ReplicaID) {
    self.time = time
    self.replica = replica
  }

  /// Makes a stamp of its parts; the milliseconds are clamped to what 48 bits hold.
  @inlinable
  public init(milliseconds: UInt64, counter: UInt16, replica: ReplicaID) {
    time = min(milliseconds, 0xFFFF_FFFF_FFFF) << 16 | UInt64(counter)
    self.replica = replica
  }

  /// Milliseconds since 1970-01-01T00:00:00Z.
  @inlinable
  public var milliseconds: UInt64 { time >> 16 }

  /// The counter within the millisecond.
  @inlinable
  public var counter: UInt16 { UInt16(truncatingIfNeeded: time) }

  /// Whether it is the floor, which seeds carry.
  @inlinable
  public var isFloor: Bool { time == 0 && replica.rawValue == 0 }

  /// Orders by time, then by replica.
  @inlinable
  public static func < (left: Stamp, right: Stamp) -> Bool {
    left.time != right.time ? left.time < right.time : left.replica < right.replica
  }

  /// The 34 characters `MMMMMMMMMMMM-CCCC-RRRRRRRRRRRRRRRR`, hexadecimal; they sort like stamps.
  public var text: String {
    var bytes: [UInt8] = []
    appendText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the 34 characters as bytes.
  @inlinable
  public func appendText(to output: inout [UInt8]) {
    Hexadecimal.append(milliseconds, digits: 12, to: &output)
    output.append(0x2D)
    Hexadecimal.append(UInt64(counter), digits: 4, to: &output)
    output.append(0x2D)
    Hexadecimal.append(replica.rawValue, digits: 16, to: &output)
  }

  /// Reads the 34 characters; nil for anything else and for times beyond the latest.
  public init?(utf8 bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    guard bytes.count == 34, bytes[start + 12] == 0x2D, bytes[start + 17] == 0x2D,
      let milliseconds = Hexadecimal.read(bytes, from: start, digits: 12),
      let counter = Hexadecimal.read(bytes, from: start + 13, digits: 4),
      let replica = Hexadecimal.read(bytes, from: start + 18, digits: 16),
      milliseconds <= Stamp.latestReadMillisecond
    else { return nil }
    time = milliseconds << 16 | counter
    self.replica = ReplicaID(rawValue: replica)
  }

  /// Reads the 34 characters; nil for anything else.
  public init?(text: String) {
    self.init(utf8: ArraySlice(text.utf8))
  }
}

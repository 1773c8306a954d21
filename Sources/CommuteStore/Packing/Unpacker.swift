import CommuteCore

/// Reads what a ``Packer`` wrote, trusting none of it.
struct Unpacker {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  /// Reads from bytes that outlive it.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The error of bytes that are not what was written.
  static let damage = StoreError.corrupt(reason: "a packed column cannot be read")

  var isAtEnd: Bool { offset >= bytes.count }

  mutating func byte() throws(StoreError) -> UInt8 {
    guard offset < bytes.count else { throw Self.damage }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func number() throws(StoreError) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64 {
      let next = try byte()
      number |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return number }
      shift += 7
    }
    throw Self.damage
  }

  /// A count of things of at least one byte each, so that damage cannot ask for endless memory.
  mutating func count() throws(StoreError) -> Int {
    let count = try number()
    guard count <= UInt64(bytes.count - offset) else { throw Self.damage }
    return Int(count)
  }

  /// A number that points into something small.
  mutating func index() throws(StoreError) -> Int {
    let number = try number()
    guard number <= 1 << 32 else { throw Self.damage }
    return Int(number)
  }

  mutating func signed() throws(StoreError) -> Int64 {
    let number = try number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  mutating func fixed() throws(StoreError) -> UInt64 {
    guard offset + 8 <= bytes.count else { throw Self.damage }
    defer { offset += 8 }
    return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  mutating func text() throws(StoreError) -> String {
    let count = try count()
    defer { offset += count }
    return String(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), as: UTF8.self)
  }

  mutating func run() throws(StoreError) -> [UInt8] {
    let count = try count()
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  mutating func identifier<ID: Identifier>(_ type: ID.Type = ID.self) throws(StoreError) -> ID {
    let high = try fixed()
    return ID(high: high, low: try fixed())
  }

  mutating func value() throws(StoreError) -> FieldValue {
    switch try byte() {
    case 0: return .null
    case 1: return .boolean(try byte() != 0)
    case 2: return .integer(try signed())
    case 3: return .double(Double(bitPattern: try fixed()))
    case 4: return .text(try text())
    case 5: return .bytes(try run())
    case 6: return .instant(try signed())
    case 7:
      var texts: [String] = []
      for _ in 0..<(try count()) { texts.append(try text()) }
      return .list(texts)
    case 255: return .unknown(try run())
    default: throw Self.damage
    }
  }
}

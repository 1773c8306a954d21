import CommuteCore

/// Writes the compact bytes that the engine keeps in its own columns.
struct Packer {
  private(set) var bytes: [UInt8] = []

  /// Forgets what was written and keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Makes room once for what is about to be written.
  mutating func reserve(_ count: Int) {
    bytes.reserveCapacity(count)
  }

  mutating func put(byte: UInt8) {
    bytes.append(byte)
  }

  /// Seven bits a byte, the lowest first.
  mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func put(_ number: Int) {
    put(UInt64(number))
  }

  /// Small numbers of either sign in few bytes.
  mutating func put(signed number: Int64) {
    put(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Eight bytes, the most significant first.
  mutating func put(fixed number: UInt64) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ text: String) {
    let count = text.utf8.count
    put(count)
    var copy = text
    copy.withUTF8 { bytes.append(contentsOf: $0) }
  }

  /// Bytes as they are.
  mutating func put(raw run: [UInt8]) {
    bytes.append(contentsOf: run)
  }

  /// Bytes as they are.
  mutating func put(raw run: ArraySlice<UInt8>) {
    bytes.append(contentsOf: run)
  }

  /// A text as a field's value.
  mutating func put(text: String) {
    put(byte: 4)
    put(text)
  }

  mutating func put(_ run: [UInt8]) {
    put(run.count)
    bytes.append(contentsOf: run)
  }

  mutating func put(_ run: UnsafeRawBufferPointer) {
    put(run.count)
    bytes.append(contentsOf: run)
  }

  mutating func put(_ id: some Identifier) {
    put(fixed: id.high)
    put(fixed: id.low)
  }

  /// A kind byte, the same as in canonical bytes, and the payload.
  mutating func put(_ value: FieldValue) {
    switch value {
    case .null: put(byte: 0)
    case .boolean(let flag):
      put(byte: 1)
      put(byte: flag ? 1 : 0)
    case .integer(let number):
      put(byte: 2)
      put(signed: number)
    case .double(let number):
      put(byte: 3)
      put(fixed: number.bitPattern)
    case .text(let text): put(text: text)
    case .bytes(let run):
      put(byte: 5)
      put(run)
    case .instant(let number):
      put(byte: 6)
      put(signed: number)
    case .list(let texts):
      put(byte: 7)
      put(texts.count)
      for text in texts { put(text) }
    case .unknown(let json):
      put(byte: 255)
      put(json)
    }
  }
}

/// Writes JSON as bytes: no spaces, members in the order they are given.
///
/// It owns one growing buffer; every write first makes room for what it is about to write.
@safe struct JSONWriter: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  /// Begins with room for about `capacity` bytes.
  init(capacity: Int = 256) {
    self.capacity = max(capacity, 64)
    unsafe start = .allocate(capacity: self.capacity)
  }

  deinit {
    unsafe start.deallocate()
  }

  /// What was written.
  var bytes: [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  }

  /// Makes room for as many more bytes.
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if capacity - count < more { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let next = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    unsafe next.update(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = next
    capacity = larger
  }

  /// Writes a byte for which room was made.
  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    unsafe start[count] = byte
    count += 1
  }

  /// Writes one byte.
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    put(byte)
  }

  /// Writes ASCII as it stands.
  @inline(__always)
  mutating func append(_ literal: StaticString) {
    let length = literal.utf8CodeUnitCount
    reserve(length)
    unsafe (start + count).update(from: literal.utf8Start, count: length)
    count += length
  }

  /// Writes bytes that are JSON already.
  mutating func append(_ json: [UInt8]) {
    reserve(json.count)
    unsafe json.withUnsafeBufferPointer { source in
      guard let from = source.baseAddress else { return }
      unsafe (start + count).update(from: from, count: source.count)
    }
    count += json.count
  }

  /// Writes the comma before a member or element, unless it is the first.
  @inline(__always)
  mutating func separate() {
    guard count > 0 else { return }
    let last = unsafe start[count - 1]
    if last != 0x7B && last != 0x5B { append(0x2C) }
  }

  /// Writes the name of a member that is known at run time only.
  @inline(__always)
  mutating func name(_ key: Key) {
    separate()
    text(key.text)
    append(0x3A)
  }

  /// Writes hexadecimal digits, lower case.
  @inline(__always)
  mutating func hexadecimal(_ number: UInt64, digits: Int) {
    reserve(digits)
    var shift = UInt64(digits) * 4
    while shift > 0 {
      shift -= 4
      let digit = UInt8(truncatingIfNeeded: number >> shift & 0xF)
      put(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
  }

  /// Writes a whole number.
  mutating func integer(_ number: Int64) {
    if number < 0 { append(0x2D) }
    unsigned(number.magnitude)
  }

  /// Writes a whole number that is not negative.
  mutating func unsigned(_ number: UInt64) {
    reserve(20)
    var digits = 1
    var bound: UInt64 = 10
    while digits < 20, number >= bound {
      digits += 1
      bound = digits == 20 ? UInt64.max : bound * 10
    }
    var rest = number
    var at = count + digits
    while at > count {
      at -= 1
      unsafe start[at] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
      rest /= 10
    }
    count += digits
  }

  /// Writes a text with its quotes.
  @inline(__always)
  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { unsafe quoted($0) }
  }

  private mutating func quoted(_ source: UnsafeBufferPointer<UInt8>) {
    let length = source.count
    reserve(length + 2)
    put(0x22)
    var at = 0
    while at < length {
      if length - at >= 8 {
        let word = unsafe UnsafeRawBufferPointer(source).loadUnaligned(
          fromByteOffset: at, as: UInt64.self)
        if JSONText.special(in: UInt64(littleEndian: word)) == 0 {
          unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt64.self)
          count += 8
          at += 8
          continue
        }
      }
      let byte = unsafe source[at]
      at += 1
      if byte >= 0x20 && byte != 0x22 && byte != 0x5C {
        put(byte)
      } else {
        escape(byte)
        reserve(length - at + 1)
      }
    }
    put(0x22)
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x22: append("\\\"")
    case 0x5C: append("\\\\")
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    default:
      append("\\u00")
      hexadecimal(UInt64(byte), digits: 2)
    }
  }
}

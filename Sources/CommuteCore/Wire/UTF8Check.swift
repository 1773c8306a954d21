/// Whether bytes are UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates.
enum UTF8Check {
  /// The offset of the first byte that belongs to no character; nil if all do.
  static func firstFault(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let raw = UnsafeRawBufferPointer(bytes)
    let count = bytes.count
    var at = 0
    while at < count {
      if at + 16 <= count {
        let first = unsafe raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        let second = unsafe raw.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self)
        if (first | second) & 0x8080_8080_8080_8080 == 0 {
          at += 16
          continue
        }
      }
      let length = unsafe length(at: at, in: bytes)
      if length == 0 { return at }
      at += length
    }
    return nil
  }

  /// How many bytes the character at an offset takes; 0 if there is none.
  @inline(__always)
  private static func length(at: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let lead = unsafe bytes[at]
    if lead < 0x80 { return 1 }
    let next = at + 1 < bytes.count ? unsafe bytes[at + 1] : 0
    switch lead {
    case 0xC2...0xDF: return next & 0xC0 == 0x80 ? 2 : 0
    case 0xE0...0xEF:
      let low: UInt8 = lead == 0xE0 ? 0xA0 : 0x80
      let high: UInt8 = lead == 0xED ? 0x9F : 0xBF
      guard next >= low, next <= high, at + 2 < bytes.count else { return 0 }
      return unsafe bytes[at + 2] & 0xC0 == 0x80 ? 3 : 0
    case 0xF0...0xF4:
      let low: UInt8 = lead == 0xF0 ? 0x90 : 0x80
      let high: UInt8 = lead == 0xF4 ? 0x8F : 0xBF
      guard next >= low, next <= high, at + 3 < bytes.count else { return 0 }
      let isWhole = unsafe bytes[at + 2] & 0xC0 == 0x80 && bytes[at + 3] & 0xC0 == 0x80
      return isWhole ? 4 : 0
    default: return 0
    }
  }
}

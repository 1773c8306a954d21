extension JSONReader {
  /// Passes a text and says where it stood; its escapes are checked, not resolved.
  @inline(__always)
  mutating func scanText() throws(JSONFault) -> JSONText {
    guard byte(offset) == 0x22 else { throw expected(.text) }
    let start = offset + 1
    var at = start
    while at + 8 <= end {
      let special = JSONText.special(in: word(at))
      if special != 0 {
        at += special.trailingZeroBitCount / 8
        break
      }
      at += 8
    }
    while at < end, case let byte = byte(at), byte != 0x22, byte != 0x5C, byte >= 0x20 { at += 1 }
    if byte(at) == 0x22 {
      offset = at + 1
      return JSONText(start: start, end: at, isPlain: true)
    }
    return try scanEscapedText(start: start, from: at)
  }

  private mutating func scanEscapedText(start: Int, from: Int) throws(JSONFault) -> JSONText {
    var at = from
    while true {
      guard at < end else { throw JSONFault(.endsEarly, at: end) }
      switch byte(at) {
      case 0x22:
        offset = at + 1
        return JSONText(start: start, end: at, isPlain: false)
      case 0x5C: at = try pastEscape(at)
      case 0x00: throw JSONFault(.containsNUL, at: at)
      case 0x01..<0x20: throw JSONFault(.controlCharacter, at: at)
      default: at += 1
      }
    }
  }

  /// Checks the escape that begins with a backslash and gives the offset behind it.
  private mutating func pastEscape(_ at: Int) throws(JSONFault) -> Int {
    guard at + 1 < end else { throw JSONFault(.endsEarly, at: end) }
    switch byte(at + 1) {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return at + 2
    case 0x75: break
    default: throw JSONFault(.escape, at: at)
    }
    let unit = try codeUnit(at)
    if unit == 0 { throw JSONFault(.containsNUL, at: at) }
    if unit & 0xF800 != 0xD800 { return at + 6 }
    guard unit & 0xFC00 == 0xD800, byte(at + 6) == 0x5C, byte(at + 7) == 0x75 else {
      throw JSONFault(.loneSurrogate, at: at)
    }
    guard try codeUnit(at + 6) & 0xFC00 == 0xDC00 else { throw JSONFault(.loneSurrogate, at: at) }
    return at + 12
  }

  /// The number of a `\u` escape.
  private mutating func codeUnit(_ at: Int) throws(JSONFault) -> UInt32 {
    var unit: UInt32 = 0
    for index in at + 2..<at + 6 {
      let byte = byte(index)
      switch byte {
      case 0x30...0x39: unit = unit << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: unit = unit << 4 | UInt32(byte - 0x37)
      case 0x61...0x66: unit = unit << 4 | UInt32(byte - 0x57)
      default: throw JSONFault(index >= end ? .endsEarly : .escape, at: at)
      }
    }
    return unit
  }

  /// The bytes of a text that ``scanText()`` has passed, escapes resolved.
  mutating func decoded(_ text: JSONText) -> [UInt8] {
    if text.isPlain { return rawBytes(text.start, text.end) }
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var at = text.start
    while at < text.end {
      let byte = byte(at)
      if byte != 0x5C {
        output.append(byte)
        at += 1
        continue
      }
      at = appendEscape(at, to: &output)
    }
    return output
  }

  private mutating func appendEscape(_ at: Int, to output: inout [UInt8]) -> Int {
    switch byte(at + 1) {
    case 0x62: output.append(0x08)
    case 0x66: output.append(0x0C)
    case 0x6E: output.append(0x0A)
    case 0x72: output.append(0x0D)
    case 0x74: output.append(0x09)
    case 0x75: return appendUnicodeEscape(at, to: &output)
    case let byte: output.append(byte)
    }
    return at + 2
  }

  private mutating func appendUnicodeEscape(_ at: Int, to output: inout [UInt8]) -> Int {
    let unit = (try? codeUnit(at)) ?? 0
    var value = unit
    var next = at + 6
    if unit & 0xFC00 == 0xD800 {
      value = 0x1_0000 + (unit & 0x3FF) << 10 + ((try? codeUnit(at + 6)) ?? 0) & 0x3FF
      next = at + 12
    }
    switch value {
    case 0..<0x80: output.append(UInt8(value))
    case 0x80..<0x800:
      output.append(UInt8(0xC0 | value >> 6))
      output.append(UInt8(0x80 | value & 0x3F))
    case 0x800..<0x1_0000:
      output.append(UInt8(0xE0 | value >> 12))
      output.append(UInt8(0x80 | value >> 6 & 0x3F))
      output.append(UInt8(0x80 | value & 0x3F))
    default:
      output.append(UInt8(0xF0 | value >> 18 & 0x07))
      output.append(UInt8(0x80 | value >> 12 & 0x3F))
      output.append(UInt8(0x80 | value >> 6 & 0x3F))
      output.append(UInt8(0x80 | value & 0x3F))
    }
    return next
  }

  /// The bytes from one offset up to another, both within the buffer.
  mutating func rawBytes(_ start: Int, _ end: Int) -> [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(rebasing: buffer[start..<end]))
  }

  /// A text that ``scanText()`` has passed, as a string.
  @inline(__always)
  mutating func string(_ text: JSONText) -> String {
    if text.isPlain {
      return unsafe String(
        decoding: UnsafeBufferPointer(rebasing: buffer[text.start..<text.end]), as: UTF8.self)
    }
    return String(decoding: decoded(text), as: UTF8.self)
  }

  /// Reads a text.
  @inline(__always)
  mutating func string() throws(JSONFault) -> String {
    guard peek() == 0x22 else { throw expected(.text) }
    return string(try scanText())
  }
}

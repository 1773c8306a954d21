extension JSONReader {
  /// Up to sixteen hexadecimal digits from an offset; nil if one is something else or upper case.
  ///
  /// The digits lie within the buffer, and their count is a multiple of four.
  @inline(__always)
  func hexadecimal(_ start: Int, digits: Int) -> UInt64? {
    var number: UInt64 = 0
    var at = start
    while start + digits - at >= 8 {
      guard let part = Self.hexadecimal(word(at)) else { return nil }
      number = number << 32 | part
      at += 8
    }
    guard at < start + digits else { return number }
    // Four zeros stand before the last four digits.
    let half = UInt64(halfWord(at)) << 32 | 0x3030_3030
    guard let part = Self.hexadecimal(half) else { return nil }
    return number << 16 | part
  }

  /// The number of eight hexadecimal digits, read all at once; the first one is the lowest byte.
  @inline(__always)
  private static func hexadecimal(_ characters: UInt64) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // 1 for each letter, which has a bit that digits lack.
    let letters = characters >> 6 & ones
    let values = (characters & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9
    let isBeyondNine = (values &+ ones &* 6) >> 4 & ones
    guard values & 0xF0F0_F0F0_F0F0_F0F0 == 0, isBeyondNine == letters,
      values &+ ones &* 0x30 &+ letters &* 0x27 == characters
    else { return nil }
    var packed = values.byteSwapped
    packed = (packed | packed >> 4) & 0x00FF_00FF_00FF_00FF
    packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
    return (packed | packed >> 16) & 0xFFFF_FFFF
  }

  /// Four bytes, the first one lowest; the caller has checked that they are there.
  @inline(__always)
  private func halfWord(_ at: Int) -> UInt32 {
    unsafe UInt32(
      littleEndian: UnsafeRawBufferPointer(buffer).loadUnaligned(
        fromByteOffset: at, as: UInt32.self))
  }

  /// Reads a UUID of 36 lower-case characters.
  @inline(__always)
  mutating func identifier<ID: Identifier>() throws(JSONFault) -> ID {
    guard peek() == 0x22 else { throw expected(.text) }
    return try identifier(try scanText())
  }

  /// The UUID that a text is.
  @inline(__always)
  mutating func identifier<ID: Identifier>(_ text: JSONText) throws(JSONFault) -> ID {
    let at = text.start
    guard text.isPlain, text.count == 36, byte(at + 8) == 0x2D, byte(at + 13) == 0x2D,
      byte(at + 18) == 0x2D, byte(at + 23) == 0x2D,
      let first = hexadecimal(at, digits: 8), let second = hexadecimal(at + 9, digits: 4),
      let third = hexadecimal(at + 14, digits: 4), let fourth = hexadecimal(at + 19, digits: 4),
      let fifth = hexadecimal(at + 24, digits: 12)
    else { throw JSONFault(.expected(.identifier), at: at - 1) }
    return ID(high: first << 32 | second << 16 | third, low: fourth << 48 | fifth)
  }

  /// The 16 hexadecimal digits that a text is.
  @inline(__always)
  mutating func digits(_ text: JSONText) throws(JSONFault) -> UInt64 {
    guard text.isPlain, text.count == 16, let number = hexadecimal(text.start, digits: 16) else {
      throw JSONFault(.expected(.digits), at: text.start - 1)
    }
    return number
  }

  /// Reads a text of 16 hexadecimal digits.
  mutating func digits() throws(JSONFault) -> UInt64 {
    guard peek() == 0x22 else { throw expected(.text) }
    return try digits(try scanText())
  }

  /// Reads an epoch; a message names few, so the last one is kept.
  mutating func epoch() throws(JSONFault) -> Epoch {
    guard peek() == 0x22 else { throw expected(.text) }
    let text = try scanText()
    if let last = cache.epochStart, text.count == 16, isSame(last, text.start, count: 16) {
      return cache.epoch
    }
    cache.epoch = Epoch(rawValue: try digits(text))
    cache.epochStart = text.start
    return cache.epoch
  }

  /// Reads `[epoch, number]`.
  mutating func revision() throws(JSONFault) -> Revision {
    let start = offset
    try openArray()
    var isFirst = true
    guard try nextElement(isFirst: &isFirst) else { throw JSONFault(.expected(.digits), at: start) }
    let epoch = try epoch()
    guard try nextElement(isFirst: &isFirst) else {
      throw JSONFault(.expected(.integer), at: start)
    }
    let number = try unsigned()
    guard peek() == 0x5D else { throw unexpected() }
    offset += 1
    depth -= 1
    return Revision(epoch: epoch, number: number)
  }

  /// The stamp that a text is; the fields of a record share few, so the last one is kept.
  @inline(__always)
  mutating func stamp(_ text: JSONText) throws(JSONFault) -> Stamp {
    let at = text.start
    guard text.isPlain, text.count == 34 else { throw JSONFault(.expected(.stamp), at: at - 1) }
    if let last = cache.stampStart, isSame(last, at, count: 34) { return cache.stamp }
    guard byte(at + 12) == 0x2D, byte(at + 17) == 0x2D,
      let milliseconds = hexadecimal(at, digits: 12),
      let counter = hexadecimal(at + 13, digits: 4),
      let replica = hexadecimal(at + 18, digits: 16),
      milliseconds <= Stamp.latestReadMillisecond
    else { throw JSONFault(.expected(.stamp), at: at - 1) }
    cache.stamp = Stamp(
      time: milliseconds << 16 | counter, replica: ReplicaID(rawValue: replica))
    cache.stampStart = at
    return cache.stamp
  }

  /// Reads a stamp.
  mutating func stamp() throws(JSONFault) -> Stamp {
    guard peek() == 0x22 else { throw expected(.text) }
    return try stamp(try scanText())
  }
}

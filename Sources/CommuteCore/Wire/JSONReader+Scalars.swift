extension JSONReader {
  /// Reads true or false.
  mutating func boolean() throws(JSONFault) -> Bool {
    switch peek() {
    case 0x74:
      try literal("true")
      return true
    case 0x66:
      try literal("false")
      return false
    default: throw expected(.boolean)
    }
  }

  /// Passes `null`, if that is what comes.
  @inline(__always)
  mutating func skipNull() throws(JSONFault) -> Bool {
    guard peek() == 0x6E else { return false }
    try literal("null")
    return true
  }

  mutating func literal(_ literal: StaticString) throws(JSONFault) {
    for index in 0..<literal.utf8CodeUnitCount {
      let expected = unsafe literal.utf8Start[index]
      guard byte(offset) == expected else { throw unexpected() }
      offset += 1
    }
  }

  /// Reads a whole number from 0 to 2^53 − 1, which JavaScript holds exactly.
  mutating func unsigned() throws(JSONFault) -> UInt64 {
    let start = offset
    let number = try integer()
    guard number >= 0 else { throw JSONFault(.outOfRange, at: start) }
    return UInt64(number)
  }

  /// Reads a whole number within ±(2^53 − 1).
  mutating func integer() throws(JSONFault) -> Int64 {
    var at = offset
    let first = peek()
    at = offset
    guard first == 0x2D || first &- 0x30 < 10 else { throw expected(.integer) }
    if first == 0x2D { at += 1 }
    let digits = at
    var number: UInt64 = 0
    while case let digit = byte(at) &- 0x30, digit < 10 {
      if at - digits < 17 { number = number &* 10 &+ UInt64(digit) }
      at += 1
    }
    guard at > digits, byte(digits) != 0x30 || at == digits + 1 else {
      throw JSONFault(at >= end ? .endsEarly : .number, at: offset)
    }
    if byte(at) == 0x2E || byte(at) | 0x20 == 0x65 || first == 0x2D && number == 0 {
      throw JSONFault(.expected(.integer), at: offset)
    }
    guard at - digits < 17, number < 1 << 53 else { throw JSONFault(.outOfRange, at: offset) }
    offset = at
    return first == 0x2D ? -Int64(number) : Int64(number)
  }

  /// Passes a number and checks its grammar.
  mutating func scanNumber() throws(JSONFault) {
    var at = offset
    if byte(at) == 0x2D { at += 1 }
    let digits = at
    at = pastDigits(at)
    guard at > digits, byte(digits) != 0x30 || at == digits + 1 else { throw numberFault(at) }
    if byte(at) == 0x2E {
      let fraction = at + 1
      at = pastDigits(fraction)
      guard at > fraction else { throw numberFault(at) }
    }
    if byte(at) | 0x20 == 0x65 {
      at += 1
      if byte(at) == 0x2B || byte(at) == 0x2D { at += 1 }
      let exponent = at
      at = pastDigits(exponent)
      guard at > exponent else { throw numberFault(at) }
    }
    offset = at
  }

  private mutating func pastDigits(_ start: Int) -> Int {
    var at = start
    while byte(at) &- 0x30 < 10 { at += 1 }
    return at
  }

  private mutating func numberFault(_ at: Int) -> JSONFault {
    JSONFault(at >= end ? .endsEarly : .number, at: offset)
  }

  /// Reads a finite number; negative zero becomes zero.
  mutating func double() throws(JSONFault) -> Double {
    let first = peek()
    let start = offset
    guard first == 0x2D || first &- 0x30 < 10 else { throw expected(.number) }
    try scanNumber()
    let number = DecimalNumber(rawBytes(start, offset)).double
    guard number.isFinite else { throw JSONFault(.outOfRange, at: start) }
    return number == 0 ? 0 : number
  }

  /// Passes any value and checks that it is JSON.
  mutating func skipValue() throws(JSONFault) {
    switch peek() {
    case 0x22: _ = try scanText()
    case 0x7B: try skipObject()
    case 0x5B:
      try openArray()
      var isFirst = true
      while try nextElement(isFirst: &isFirst) { try skipValue() }
    case 0x74: try literal("true")
    case 0x66: try literal("false")
    case 0x6E: try literal("null")
    case 0x2D, 0x30...0x39: try scanNumber()
    default: throw unexpected()
    }
  }

  private mutating func skipObject() throws(JSONFault) {
    var members = try openObject()
    while try nextName(&members) {
      note(members.name)
      try skipValue()
    }
  }

  /// Passes any value and keeps its bytes.
  mutating func raw() throws(JSONFault) -> [UInt8] {
    skipSpace()
    let start = offset
    try skipKeptValue()
    return rawBytes(start, offset)
  }

  /// Passes a value that other messages will hold, where it may stand deeper than here.
  ///
  /// The levels of the value itself that are open already count as `outer`.
  mutating func skipKeptValue(outer: Int = 0) throws(JSONFault) {
    depthLimit = depth - outer + WireLimit.keptDepth
    try skipValue()
    depthLimit = WireLimit.depth.value
  }

  /// Checks that nothing follows.
  mutating func finish() throws(JSONFault) {
    skipSpace()
    if offset < end { throw JSONFault(.trailingBytes, at: offset) }
  }
}

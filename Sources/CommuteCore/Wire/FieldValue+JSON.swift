extension FieldValue {
  /// The value as JSON, as it stands in messages.
  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.value(self)
    return writer.bytes
  }

  /// Reads a value from JSON.
  ///
  /// - Throws: ``WireError`` saying where the bytes are no value.
  public init(json: [UInt8]) throws(WireError) {
    self = try WireEdge.read(json, limit: .record) { (reader) throws(JSONFault) in
      try reader.value()
    }
  }
}

extension JSONWriter {
  /// Writes a field's value.
  mutating func value(_ value: FieldValue) {
    switch value {
    case .null: append("null")
    case .boolean(let flag): flag ? append("true") : append("false")
    case .text(let text): self.text(text)
    case .list(let texts): list(texts)
    case .integer(let number):
      append("{\"i\":\"")
      integer(number)
      append("\"}")
    case .double(let number):
      append("{\"d\":")
      double(number)
      append(0x7D)
    case .bytes(let bytes):
      append("{\"b\":\"")
      append(Base64URL.encoded(bytes))
      append("\"}")
    case .instant(let milliseconds):
      append("{\"t\":\"")
      integer(milliseconds)
      append("\"}")
    case .unknown(let json): append(json)
    }
  }

  private mutating func list(_ texts: [String]) {
    append(0x5B)
    for text in texts {
      separate()
      self.text(text)
    }
    append(0x5D)
  }
}

extension JSONReader {
  /// Reads a field's value.
  mutating func value() throws(JSONFault) -> FieldValue {
    switch peek() {
    case 0x22: return .text(try fieldText())
    case 0x74, 0x66: return .boolean(try boolean())
    case 0x6E:
      try literal("null")
      return .null
    case 0x5B: return .list(try list())
    case 0x7B: return try taggedValue()
    default: throw expected(.value)
    }
  }

  /// Reads a text of a field or of a list.
  mutating func fieldText() throws(JSONFault) -> String {
    guard byte(offset) == 0x22 else { throw expected(.text) }
    let text = try scanText()
    // Escapes only ever make a text longer on the wire than it is.
    if text.count > WireLimit.text.value, text.isPlain || decoded(text).count > WireLimit.text.value
    {
      throw JSONFault(.text, at: text.start)
    }
    return string(text)
  }

  private mutating func list() throws(JSONFault) -> [String] {
    try openArray()
    var texts: [String] = []
    var isFirst = true
    while try nextElement(isFirst: &isFirst) {
      skipSpace()
      texts.append(try fieldText())
    }
    return texts
  }

  /// Reads an object whose one member names the kind of value; a kind not known here is kept.
  mutating func taggedValue() throws(JSONFault) -> FieldValue {
    let start = offset
    try open(0x7B, or: .object)
    guard peek() == 0x22 else {
      throw unexpected(byte(offset) == 0x7D ? .expected(.value) : .notJSON)
    }
    let name = try scanText()
    guard peek() == 0x3A else { throw unexpected() }
    offset += 1
    let value = try knownValue(name)
    if value == nil { try skipKeptValue(outer: 1) }
    guard peek() == 0x7D else {
      throw unexpected(byte(offset) == 0x2C ? .expected(.value) : .notJSON)
    }
    offset += 1
    depth -= 1
    if let value { return value }
    guard offset - start <= WireLimit.text.value else { throw JSONFault(.text, at: start) }
    return .unknown(rawBytes(start, offset))
  }

  private mutating func knownValue(_ name: JSONText) throws(JSONFault) -> FieldValue? {
    let bytes = name.isPlain ? [] : decoded(name)
    guard name.isPlain ? name.count == 1 : bytes.count == 1 else { return nil }
    switch bytes.first ?? byte(name.start) {
    case 0x69: return .integer(try integerText())
    case 0x74: return .instant(try integerText())
    case 0x64: return .double(try double())
    case 0x62: return .bytes(try base64())
    default: return nil
    }
  }

  /// Reads a whole number of 64 bits that is written as text, in the one way it can be.
  mutating func integerText() throws(JSONFault) -> Int64 {
    guard peek() == 0x22 else { throw expected(.integerText) }
    let text = try scanText()
    let fault = JSONFault(.expected(.integerText), at: text.start - 1)
    let isNegative = byte(text.start) == 0x2D
    let first = isNegative ? text.start + 1 : text.start
    guard text.isPlain, first < text.end, text.end - first <= 19,
      byte(first) != 0x30 || (text.end - first == 1 && !isNegative)
    else { throw fault }
    var number: UInt64 = 0
    for index in first..<text.end {
      let digit = byte(index) &- 0x30
      guard digit < 10 else { throw fault }
      number = number &* 10 &+ UInt64(digit)
    }
    if isNegative {
      guard number <= 1 << 63 else { throw fault }
      return Int64(truncatingIfNeeded: 0 &- number)
    }
    guard number < 1 << 63 else { throw fault }
    return Int64(number)
  }

  private mutating func base64() throws(JSONFault) -> [UInt8] {
    guard peek() == 0x22 else { throw expected(.base64) }
    let text = try scanText()
    guard text.isPlain, let bytes = Base64URL.decoded(decoded(text)) else {
      throw JSONFault(.expected(.base64), at: text.start - 1)
    }
    guard bytes.count <= WireLimit.text.value else { throw JSONFault(.text, at: text.start) }
    return bytes
  }
}

/// A list of texts as the JSON that its column holds.
enum TextList {
  /// The JSON of a list: `["sf","long"]`.
  static func json(of texts: [String]) -> String {
    if texts.isEmpty { return "[]" }
    var bytes: [UInt8] = []
    write(texts, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the JSON of a list.
  static func write(_ texts: [String], to bytes: inout [UInt8]) {
    bytes.append(0x5B)
    for (index, text) in texts.enumerated() {
      if index > 0 { bytes.append(0x2C) }
      append(text, to: &bytes)
    }
    bytes.append(0x5D)
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(0x22)
    var copy = text
    copy.withUTF8 { utf8 in append(utf8, to: &bytes) }
    bytes.append(0x22)
  }

  private static func append(_ utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    // Hardly any text has something to be escaped.
    if !utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
      bytes.append(contentsOf: utf8)
      return
    }
    for byte in utf8 {
      switch byte {
      case 0x22, 0x5C:
        bytes.append(0x5C)
        bytes.append(byte)
      case 0..<0x20:
        bytes += [0x5C, 0x75, 0x30, 0x30, byte < 16 ? 0x30 : 0x31]
        let low = byte & 0xF
        bytes.append(low < 10 ? 0x30 + low : 0x57 + low)
      default: bytes.append(byte)
      }
    }
  }

  /// The texts of a list's JSON; nil where it is not one that was written here.
  static func texts(of json: UnsafeRawBufferPointer) -> [String]? {
    var texts: [String] = []
    var index = 0
    guard json.count >= 2, json[0] == 0x5B, json[json.count - 1] == 0x5D else { return nil }
    index = 1
    while index < json.count - 1 {
      if !texts.isEmpty {
        guard json[index] == 0x2C else { return nil }
        index += 1
      }
      guard index < json.count - 1, json[index] == 0x22 else { return nil }
      guard let (text, end) = text(in: json, from: index + 1) else { return nil }
      texts.append(text)
      index = end + 1
    }
    return texts
  }

  /// Reads from after the opening quote up to the closing one.
  private static func text(
    in json: UnsafeRawBufferPointer, from start: Int
  ) -> (text: String, end: Int)? {
    var end = start
    while end < json.count, json[end] != 0x22, json[end] != 0x5C { end += 1 }
    guard end < json.count else { return nil }
    let plain = UnsafeRawBufferPointer(rebasing: json[start..<end])
    if json[end] == 0x22 { return (String(decoding: plain, as: UTF8.self), end) }
    var bytes = Array(plain)
    while end < json.count, json[end] != 0x22 {
      guard json[end] == 0x5C else {
        bytes.append(json[end])
        end += 1
        continue
      }
      guard end + 1 < json.count else { return nil }
      if json[end + 1] == 0x75 {
        guard end + 5 < json.count, let high = digit(json[end + 4]), let low = digit(json[end + 5])
        else { return nil }
        bytes.append(high << 4 | low)
        end += 6
      } else {
        bytes.append(json[end + 1])
        end += 2
      }
    }
    return end < json.count ? (String(decoding: bytes, as: UTF8.self), end) : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}

/// Bytes as text in the alphabet of URLs (RFC 4648, section 5), without padding.
enum Base64URL {
  /// The 64 characters.
  private static let alphabet = [UInt8](
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The characters of some bytes.
  static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = alphabet
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count * 4 + 2) / 3)
    var pending: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        output.append(alphabet[Int(pending >> count & 63)])
      }
    }
    if count > 0 { output.append(alphabet[Int(pending << (6 - count) & 63)]) }
    return output
  }

  /// The bytes of some characters; nil for anything the other direction would not write.
  static func decoded(_ characters: [UInt8]) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(characters.count * 3 / 4)
    var pending: UInt32 = 0
    var count: UInt32 = 0
    for character in characters {
      guard let value = value(of: character) else { return nil }
      pending = pending << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        output.append(UInt8(truncatingIfNeeded: pending >> count))
      }
    }
    // One character alone holds no byte, and bits that belong to no byte are zero.
    guard count < 6, pending & (1 << count - 1) == 0 else { return nil }
    return output
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character - 0x41)
    case 0x61...0x7A: UInt32(character - 0x61) + 26
    case 0x30...0x39: UInt32(character - 0x30) + 52
    case 0x2D: 62
    case 0x5F: 63
    default: nil
    }
  }
}

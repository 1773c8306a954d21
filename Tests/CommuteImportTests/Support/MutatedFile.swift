/// Spoils files the way disks, editors and attackers do, the same way for the same dice.
enum MutatedFile {
  /// Bytes with which CSV, UTF-8 and the cells of Goodreads mean something.
  private static let pieces: [[UInt8]] = signs.map { Array($0.utf8) } + brokenSigns

  private static let brokenSigns: [[UInt8]] = [
    [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xEF, 0xBB, 0xBF],
  ]

  private static let signs = [
    ",", "\"", "\"\"", "\n", "\r", "\r\n", "\0", "=", "=\"", "'", "'=", "-", "<br/>", "<br",
    "read", "to-read", "0", "9", "/", "2020/02/29", "9780141439518", "X", " ", "\t", "é", "本", "😀",
    "\u{1B}[2J", "\u{202E}", "Title", ",,,,,,,,,,,,,,,,,",
  ]

  /// The header of the file and a part of the rest, with a few things changed.
  static func piece(of file: [UInt8], using dice: inout Dice) -> [UInt8] {
    let headerEnd = (file.firstIndex(of: 0x0A) ?? 0) + 1
    let start = headerEnd + dice.roll(file.count - headerEnd)
    let end = min(file.count, start + dice.roll(600))
    var bytes = Array(file[..<headerEnd] + file[start..<end])
    // The header is spared in most rounds: without its Title nothing else is tried.
    let first = dice.roll(4) == 0 ? 0 : headerEnd
    for _ in 0..<(1 + dice.roll(8)) { change(&bytes, from: first, using: &dice) }
    return bytes
  }

  /// A whole file with a few things changed.
  static func whole(_ file: [UInt8], using dice: inout Dice) -> [UInt8] {
    var bytes = file
    for _ in 0..<(1 + dice.roll(8)) { change(&bytes, from: 0, using: &dice) }
    return bytes
  }

  private static func change(_ bytes: inout [UInt8], from first: Int, using dice: inout Dice) {
    guard bytes.count > first else { return bytes.append(contentsOf: dice.pick(pieces)) }
    let place = first + dice.roll(bytes.count - first)
    let end = min(bytes.count, place + 1 + dice.roll(12))
    switch dice.roll(5) {
    case 0: bytes[place] = UInt8(truncatingIfNeeded: dice.next())
    case 1: bytes.insert(contentsOf: dice.pick(pieces), at: place)
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
    default: bytes[place] ^= 1 << UInt8(dice.roll(8))
    }
  }
}

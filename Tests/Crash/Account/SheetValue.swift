/// One value that one device wrote once: `b-0000123-1` is the second part of b's 123rd write.
struct SheetValue: Hashable, Comparable {
  static let slots = 3
  static let length = 11

  var slot: Int
  var sequence: Int
  /// Which change of the write it belongs to.
  var part: Int

  init(slot: Int, sequence: Int, part: Int) {
    self.slot = slot
    self.sequence = sequence
    self.part = part
  }

  /// Reads a value; nil for any other text.
  init?(_ text: some StringProtocol) {
    let words = text.split(separator: "-", omittingEmptySubsequences: false)
    let slots = 0..<Self.slots
    guard text.utf8.count == Self.length, words.count == 3,
      let slot = slots.first(where: { Self.name($0) == words[0] }),
      let sequence = Int(words[1]), let part = Int(words[2])
    else { return nil }
    self.init(slot: slot, sequence: sequence, part: part)
  }

  /// The name of a device and of the column that only it writes.
  static func name(_ slot: Int) -> String { ["a", "b", "c"][slot] }

  var text: String {
    let digits = String(sequence)
    let zeros = String(repeating: "0", count: max(0, 7 - digits.count))
    return "\(Self.name(slot))-\(zeros)\(digits)-\(part)"
  }

  /// Orders the values of one device by when they were written.
  static func < (left: SheetValue, right: SheetValue) -> Bool {
    (left.sequence, left.part) < (right.sequence, right.part)
  }
}

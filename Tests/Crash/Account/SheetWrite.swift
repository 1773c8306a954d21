/// One transaction of a device, as it is announced before it is made.
struct SheetWrite: Equatable {
  /// What happens to one record.
  struct Change: Equatable {
    enum Kind: String {
      case insert = "I"
      case own = "O"
      case contested = "C"
      case both = "B"
      case delete = "D"
    }

    var kind: Kind
    /// The record's id as 32 hexadecimal digits.
    var record: String

    var writesOwn: Bool { kind == .insert || kind == .own || kind == .both }
    var writesContested: Bool { kind == .insert || kind == .contested || kind == .both }
  }

  var slot: Int
  var sequence: Int
  var changes: [Change]

  /// The value that a change writes.
  func value(_ part: Int) -> SheetValue {
    SheetValue(slot: slot, sequence: sequence, part: part)
  }

  /// As a child announces it: `123 I<id> O<id>`.
  var text: String {
    "\(sequence) " + changes.map { $0.kind.rawValue + $0.record }.joined(separator: " ")
  }

  init(slot: Int, sequence: Int, changes: [Change]) {
    self.slot = slot
    self.sequence = sequence
    self.changes = changes
  }

  /// Reads the announcement of a device.
  init?(slot: Int, words: [Substring]) {
    guard let first = words.first, let sequence = Int(first) else { return nil }
    var changes: [Change] = []
    for word in words.dropFirst() {
      guard let kind = Change.Kind(rawValue: String(word.prefix(1))) else { return nil }
      changes.append(Change(kind: kind, record: String(word.dropFirst())))
    }
    self.init(slot: slot, sequence: sequence, changes: changes)
  }
}

/// What everybody wrote and what the server was seen to take: all that the judge knows.
///
/// It merges nothing. Each edit's value names the edit: a word of its own, or a bit of its own in a
/// counter, so that what is there in the end says by itself whose work it is.
struct Ledger {
  private(set) var edits: [Int: Edit] = [:]
  /// The edits that the server took.
  private(set) var applied: Set<Int> = []
  /// Edits that the server took and that went with its files.
  private(set) var shaken: Set<Int> = []
  /// How many bits of each counter are given out.
  private var bits: [Int: Int] = [:]
  private(set) var numbers = 0
  /// Whether a file, or the server, was put back, so that what was let go may come again.
  var mayComeAgain = false
  /// Whether a machine was put back with all that it knew, so that one stamp may be given twice.
  var hasTwins = false

  /// Numbers for one change of a record.
  mutating func take() -> Int {
    numbers += Stock.stride
    return numbers
  }

  /// A bit of a counter that nobody else adds; nil where there is none left.
  mutating func takeBit(_ record: Int, _ stock: Stock) -> Int? {
    guard stock.manner == .sum else { return nil }
    let place = record * Stock.stride + stock.rawValue
    let bit = bits[place, default: 0]
    guard bit < 60 else { return nil }
    bits[place] = bit + 1
    return bit
  }

  /// A transaction returned, or may have been carried out.
  mutating func wrote(_ made: [Edit], device: Int, commit: Int, fate: Edit.Fate = .held) {
    for edit in made {
      var edit = edit
      edit.device = device
      edit.commit = commit
      edit.fate = fate
      if edit.isTraceless {
        letGo(of: edit.record, device: device)
      } else {
        edits[edit.number] = edit
      }
    }
  }

  /// A device deleted a record that nobody else had heard of.
  private mutating func letGo(of record: Int, device: Int) {
    for (number, edit) in edits where edit.record == record && edit.device == device {
      if edit.fate == .held { edits[number]?.fate = .open }
    }
  }

  /// A refused change was made anew with another value for one field: the others go with it.
  mutating func rewrote(_ numbers: [Int]) {
    for number in numbers { edits[number]?.isRewritten = true }
  }

  /// What a device wrote after a transaction may be gone.
  mutating func doubt(device: Int, after commit: Int) {
    for (number, edit) in edits where edit.device == device && edit.commit > commit {
      if edit.fate == .held { edits[number]?.fate = .open }
    }
  }

  /// The person let a refused change go.
  mutating func withdrew(_ number: Int, device: Int) {
    guard edits[number]?.device == device, !applied.contains(number) else { return }
    edits[number]?.fate = .withdrawn
  }

  /// Nobody knows whether the person let a refused change go.
  mutating func doubt(_ number: Int, device: Int) {
    guard edits[number]?.device == device, edits[number]?.fate == .held else { return }
    edits[number]?.fate = .open
  }

  /// The server took an edit.
  mutating func took(_ number: Int) {
    guard edits[number] != nil else { return }
    applied.insert(number)
  }

  /// The server's files were put back.
  mutating func wentBack(to earlier: Set<Int>) {
    shaken.formUnion(applied.subtracting(earlier))
    applied = earlier
    mayComeAgain = true
  }

  /// Whether an edit's writer had seen another, directly or through others.
  func saw(_ number: Int, _ other: Int) -> Bool {
    var at = number
    while at > 0, let edit = edits[at] {
      if edit.parent == other { return true }
      at = edit.parent < at ? edit.parent : 0
    }
    return false
  }

  /// The edits of a field, or the deletions of a record, in the order in which they were made.
  func edits(of stock: Stock?, _ record: Int) -> [Edit] {
    edits.values.filter { $0.record == record && $0.stock == stock }.sorted {
      $0.number < $1.number
    }
  }
}

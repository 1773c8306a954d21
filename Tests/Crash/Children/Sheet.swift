import CommuteCore
import CommuteStore

/// The record of the crash runs: a column for each device, which only it writes, with a number that
/// must always go with it, and one column for all.
struct Sheet: Record {
  var id = RecordID.zero
  var a = ""
  var aCount = 0
  var b = ""
  var bCount = 0
  var c = ""
  var cCount = 0
  var contested = ""

  static let feed = "sheets"
  static let schemaName = "crash"

  static let table = Table("sheet", feed: feed, blank: Sheet()) {
    Column("a", \.a)
    Column("aCount", \.aCount)
    Column("b", \.b)
    Column("bCount", \.bCount)
    Column("c", \.c)
    Column("cCount", \.cCount)
    Column("contested", \.contested)
  }

  /// Writes a device's own two columns.
  mutating func setOwn(_ value: SheetValue) {
    switch value.slot {
    case 0: (a, aCount) = (value.text, value.sequence)
    case 1: (b, bCount) = (value.text, value.sequence)
    default: (c, cCount) = (value.text, value.sequence)
    }
  }

  /// What a device wrote into its own column.
  func own(_ slot: Int) -> SheetValue? {
    SheetValue([a, b, c][slot])
  }
}

extension RecordID {
  /// The 32 digits that SQL's `hex` gives, in lower case.
  var digits: String { text.filter { $0 != "-" } }

  /// Reads 32 digits.
  init?(digits: String) {
    guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}

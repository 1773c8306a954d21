/// Keeps spreadsheets from taking what a book says for a formula.
///
/// A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return is run by spreadsheets,
/// quoted or not: a title such as `=HYPERLINK(…)` could send the list elsewhere. An apostrophe in
/// front makes it text. One is put before every cell that begins so, or begins so behind
/// apostrophes already, and one is taken from every such cell again, so nothing changes on the way.
enum FormulaGuard {
  /// The text, with an apostrophe in front if it needs one.
  static func added(to text: String) -> String {
    let bytes = Array(text.utf8)
    return isRun(bytes.drop { $0 == .apostrophe }) ? "'" + text : text
  }

  /// The text without the apostrophe that was put in front of it.
  static func removed(from cell: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard cell.first == .apostrophe, isRun(cell.drop { $0 == .apostrophe }) else { return cell }
    return cell.dropFirst()
  }

  private static func isRun(_ text: ArraySlice<UInt8>) -> Bool {
    switch text.first {
    case .equals, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09,
      .carriageReturn:
      true
    default: false
    }
  }
}

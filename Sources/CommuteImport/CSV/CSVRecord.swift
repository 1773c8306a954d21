/// One record of a CSV file: its cells and the lines of the file it covers.
public struct CSVRecord: Hashable, Sendable {
  /// The line of the file, from 1, on which the record begins.
  public let line: Int
  /// The line on which it ends; greater than ``line`` where a quoted cell holds line ends.
  public let lastLine: Int
  /// The cells in the order of the file; never empty.
  public let cells: [CSVCell]
}

/// One cell of a record, without the quotes that stood around it.
///
/// The bytes are a slice of the file itself unless a doubled quote had to be undone, so a cell
/// kept for long keeps the whole file in memory: make a ``text`` of what is to stay.
public struct CSVCell: Hashable, Sendable {
  /// What the cell holds: valid UTF-8 without NUL.
  public let bytes: ArraySlice<UInt8>
  /// The line of the file on which the cell begins.
  public let line: Int
  /// Whether text followed a closing quote, as in `"a"b`.
  ///
  /// The text is taken as it stands then (`ab`), but somebody forgot to double a quote.
  public let hasStrayQuote: Bool

  /// The cell as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

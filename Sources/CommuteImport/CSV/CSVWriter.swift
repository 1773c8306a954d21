/// Writes records as CSV: commas between cells, LF behind each record, quotes where needed.
public struct CSVWriter: Sendable {
  /// What is written so far.
  public private(set) var bytes: [UInt8] = []

  private var isAtStart = true

  /// Makes a writer that has written nothing.
  public init() {}

  /// Writes a cell, in quotes if it could be misread without them.
  ///
  /// U+0000, which no CSV file should hold, becomes U+FFFD.
  public mutating func append(_ text: String) {
    startCell()
    guard Self.needsQuotes(text) else {
      bytes.append(contentsOf: text.utf8)
      return
    }
    bytes.append(.quote)
    for byte in text.utf8 {
      if byte == .quote { bytes.append(.quote) }
      if byte == 0 { bytes.append(contentsOf: [0xEF, 0xBF, 0xBD]) } else { bytes.append(byte) }
    }
    bytes.append(.quote)
  }

  /// Writes a cell exactly as given, for forms like `="0141439513"`.
  ///
  /// The text must hold no comma and no line end and not begin with a quote; if it does, it is
  /// quoted like any other.
  public mutating func append(verbatim text: String) {
    let isSafe = text.utf8.first != .quote && text.utf8.allSatisfy { $0 != .comma && $0 >= 0x20 }
    guard isSafe else { return append(text) }
    startCell()
    bytes.append(contentsOf: text.utf8)
  }

  /// Ends the record; one without any cell is written as one empty cell.
  public mutating func endRecord() {
    // Nothing but a line end would be a blank line, which is no record.
    if bytes.isEmpty || bytes.last == .lineFeed { bytes.append(contentsOf: [.quote, .quote]) }
    bytes.append(.lineFeed)
    isAtStart = true
  }

  private mutating func startCell() {
    if !isAtStart { bytes.append(.comma) }
    isAtStart = false
  }

  /// Blanks at an end are quoted too: some programs drop them otherwise.
  private static func needsQuotes(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last else { return false }
    if first.isBlank || last.isBlank { return true }
    return text.utf8.contains { $0 == .comma || $0 == .quote || $0 < 0x20 }
  }
}

/// Reads a CSV file record by record, in place, as RFC 4180 says and as files really are.
///
/// - Line ends may be LF, CR LF or CR, mixed; a byte order mark at the start is passed over.
/// - Lines without any byte are no records; a record may have any number of cells.
/// - A quote inside a cell that did not begin with one is text, so `="0141439513"` needs no
///   quoting. Text behind a closing quote is kept and marked (``CSVCell/hasStrayQuote``).
/// - A record with a NUL, with bytes that are not UTF-8 or beyond a limit is thrown as an error,
///   whole; the next call goes on behind it. Only a quote that is never closed costs the rest.
public struct CSVReader: Sendable {
  /// What the reader refuses to take from a file.
  public struct Limits: Hashable, Sendable {
    /// The most bytes of one cell.
    public var cellBytes: Int
    /// The most cells of one record.
    public var cells: Int

    /// Makes limits; by default a cell may have two mebibytes.
    public init(cellBytes: Int = 2_097_152, cells: Int = 1_000) {
      self.cellBytes = cellBytes
      self.cells = cells
    }
  }

  /// The line of the file, from 1, that the reader has reached.
  public private(set) var line = 1

  private let bytes: [UInt8]
  private let limits: Limits
  private var position: Int
  private var column = 0
  private var error: CSVError?

  /// Makes a reader that stands at the first record.
  public init(_ bytes: [UInt8], limits: Limits = Limits()) {
    self.bytes = bytes
    self.limits = limits
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    position = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
  }

  /// Reads the next record; nil at the end of the file.
  ///
  /// - Throws: ``CSVError`` for a record that cannot be taken; the reader stands behind it then.
  public mutating func next() throws(CSVError) -> CSVRecord? {
    passBlankLines()
    guard position < bytes.count else { return nil }
    let firstLine = line
    var cells: [CSVCell] = []
    column = 0
    error = nil
    while true {
      let cell = readCell()
      if column < limits.cells {
        cells.append(cell)
      } else {
        note(.tooManyCells(limit: limits.cells))
      }
      guard position < bytes.count, bytes[position] == .comma else { break }
      position += 1
      column += 1
    }
    let lastLine = line
    passLineEnd()
    if let error { throw error }
    return CSVRecord(line: firstLine, lastLine: lastLine, cells: cells)
  }

  private mutating func readCell() -> CSVCell {
    let isQuoted = position < bytes.count && bytes[position] == .quote
    let cell = isQuoted ? readQuotedCell() : readPlainCell()
    if cell.bytes.count > limits.cellBytes {
      note(.cellTooLong(limit: limits.cellBytes), line: cell.line)
    }
    return cell
  }

  private mutating func readPlainCell() -> CSVCell {
    let start = position
    passPlainText()
    return CSVCell(bytes: bytes[start..<position], line: line, hasStrayQuote: false)
  }

  /// Reads a cell from its opening quote on.
  private mutating func readQuotedCell() -> CSVCell {
    let firstLine = line
    position += 1
    let start = position
    let holdsDoubledQuote = passQuotedText()
    guard position < bytes.count else {
      note(.unterminatedQuote(lastLine: lastLineOfFile), line: firstLine)
      return CSVCell(bytes: [], line: firstLine, hasStrayQuote: false)
    }
    let inner = bytes[start..<position]
    position += 1
    let behind = position
    passPlainText()
    let tail = bytes[behind..<position]
    let isInPlace = !holdsDoubledQuote && tail.isEmpty
    let text = isInPlace ? inner : Self.undoubled(inner, followedBy: tail)
    return CSVCell(bytes: text, line: firstLine, hasStrayQuote: !tail.isEmpty)
  }

  /// Moves to the quote that closes the cell, or to the end of the file.
  ///
  /// - Returns: Whether a quote in the text was doubled.
  private mutating func passQuotedText() -> Bool {
    var holdsDoubledQuote = false
    while position < bytes.count {
      let byte = bytes[position]
      if byte == .quote {
        let next = position + 1
        guard next < bytes.count, bytes[next] == .quote else { break }
        holdsDoubledQuote = true
        position += 2
      } else if byte == .lineFeed || byte == .carriageReturn {
        passLineEnd()
      } else {
        pass(byte)
      }
    }
    return holdsDoubledQuote
  }

  private mutating func passPlainText() {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == .comma || byte == .lineFeed || byte == .carriageReturn { return }
      pass(byte)
    }
  }

  /// Moves over one character, and notes it if it may not be there.
  private mutating func pass(_ byte: UInt8) {
    if byte != 0, byte < 0x80 {
      position += 1
    } else if byte == 0 {
      note(.nul)
      position += 1
    } else if let length = UTF8Sequence.length(in: bytes, at: position) {
      position += length
    } else {
      note(.notUTF8(byte: byte))
      position += 1
    }
  }

  private mutating func passBlankLines() {
    while position < bytes.count,
      bytes[position] == .lineFeed || bytes[position] == .carriageReturn
    {
      passLineEnd()
    }
  }

  private mutating func passLineEnd() {
    guard position < bytes.count else { return }
    let isReturn = bytes[position] == .carriageReturn
    position += 1
    line += 1
    if isReturn, position < bytes.count, bytes[position] == .lineFeed { position += 1 }
  }

  /// Keeps the first problem of a record; the loss of everything behind it outweighs others.
  private mutating func note(_ problem: CSVError.Problem, line: Int? = nil) {
    if case .unterminatedQuote = problem { error = nil }
    guard error == nil else { return }
    error = CSVError(line: line ?? self.line, column: column, problem: problem)
  }

  /// The number of the last line that has a byte, once the end is reached.
  private var lastLineOfFile: Int {
    guard let last = bytes.last else { return line }
    return last == .lineFeed || last == .carriageReturn ? line - 1 : line
  }

  private static func undoubled(
    _ text: ArraySlice<UInt8>, followedBy tail: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8> {
    var result: [UInt8] = []
    result.reserveCapacity(text.count + tail.count)
    var wasQuote = false
    for byte in text {
      wasQuote = byte == .quote && !wasQuote
      // The first of two is kept, the second passed over.
      if byte != .quote || wasQuote { result.append(byte) }
    }
    return result[...] + tail
  }
}

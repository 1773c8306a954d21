/// Reads the CSV file that Goodreads exports, book by book, and accounts for what it leaves out.
///
/// Columns are found by the names in the first line, in any order; only `Title` must be there and
/// unknown ones are passed over. A row is left out if it cannot be read as text or has no title;
/// any other slip costs the one cell it stands in. Of several rows for one book the first counts.
/// Nothing in a file makes the reader trap, and the same file gives the same books everywhere.
public struct GoodreadsReader: Sendable {
  /// What was read so far and what was not taken, complete once ``next()`` returned nil.
  public private(set) var report = ImportReport()

  private var records: CSVReader
  private let header: GoodreadsHeader
  private let textLimit: Int
  private var linesByIdentity: [[UInt8]: Int] = [:]

  /// Reads the first line of the file.
  ///
  /// A title, an author or notes may have as many bytes as `textLimit` says; by default as many as
  /// a field of text may have on its way to other devices.
  ///
  /// - Throws: ``ImportError`` if the file is no list of books; nothing can be read then.
  public init(_ bytes: [UInt8], textLimit: Int = 262_144) throws(ImportError) {
    if let format = Self.otherFormat(of: bytes) { throw .otherFormat(format) }
    var records = CSVReader(bytes)
    header = try Self.readHeader(&records)
    self.records = records
    self.textLimit = textLimit
    report.ignoredColumns = header.ignoredNames
  }

  /// Reads on to the next book; nil at the end of the file.
  public mutating func next() -> ImportedBook? {
    while true {
      do throws(CSVError) {
        guard let record = try records.next() else { return nil }
        if let book = take(record) { return book }
      } catch {
        refuse(error)
      }
    }
  }

  /// Reads a whole file.
  ///
  /// - Throws: ``ImportError`` if the file is no list of books.
  public static func readAll(
    _ bytes: [UInt8]
  ) throws(ImportError) -> (books: [ImportedBook], report: ImportReport) {
    var reader = try GoodreadsReader(bytes)
    var books: [ImportedBook] = []
    while let book = reader.next() { books.append(book) }
    return (books, reader.report)
  }

  /// Makes a book of a record; nil if there is none in it, which the report tells.
  private mutating func take(_ record: CSVRecord) -> ImportedBook? {
    // What spreadsheets leave below a table, `,,,,`, is not worth a word.
    guard record.cells.contains(where: { !$0.bytes.trimmed().isEmpty }) else { return nil }
    var row = GoodreadsRow(record: record, header: header, textLimit: textLimit)
    let book = row.book()
    if let book {
      let identity = book.recordID ?? book.identityBytes
      if let earlier = linesByIdentity[identity] {
        // What else is wrong with the row does not matter then.
        let reason = "the same book as in line \(earlier); the row is left out"
        report.add(.init(loss: .repetition, line: record.line, column: nil, reason: reason))
        return nil
      }
      linesByIdentity[identity] = record.line
      report.countTaken()
    }
    for note in row.notes { report.add(note) }
    return book
  }

  private mutating func refuse(_ error: CSVError) {
    var column: String? = header.name(at: error.column)
    var loss = "the row is left out"
    switch error.problem {
    case .unterminatedQuote(let lastLine):
      loss = "everything from here to the end of the file, line \(lastLine), is left out"
    case .tooManyCells: column = nil
    case .notUTF8, .nul, .cellTooLong: break
    }
    let reason = "\(error.reason); \(loss)"
    report.add(.init(loss: .row, line: error.line, column: column, reason: reason))
  }

  private static func readHeader(
    _ records: inout CSVReader
  ) throws(ImportError) -> GoodreadsHeader {
    let record: CSVRecord?
    do throws(CSVError) {
      record = try records.next()
    } catch {
      throw .unreadableHeader(error)
    }
    guard let record else { throw .empty }
    return try GoodreadsHeader(record)
  }

  /// Tells two kinds of file that people take for CSV.
  private static func otherFormat(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "in UTF-16" }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return "a spreadsheet or archive" }
    return nil
  }
}

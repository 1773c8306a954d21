/// Writes books as the CSV file that Goodreads exports, which it also imports.
///
/// ``GoodreadsReader`` reads the same books back, except for what the format cannot hold: a tag
/// is one name without commas and without blanks at its ends, `read` is no tag, a moment is a day,
/// `<br/>` in notes is a line end, and an ISBN whose check digit is wrong is left away.
/// A book neither read nor tagged `to-read` or `currently-reading` has no exclusive shelf: naming
/// one would give it a tag.
public struct GoodreadsWriter: Sendable {
  /// The file so far: the header and a line for each book.
  public var bytes: [UInt8] { records.bytes }

  private var records = CSVWriter()
  private let guardsFormulas: Bool

  /// Makes a writer that has written the header.
  ///
  /// - Parameter guardsFormulas: Whether an apostrophe is put before a cell that a spreadsheet
  ///   would run as a formula. The reader takes it away again; Goodreads would show it.
  public init(guardsFormulas: Bool = true) {
    self.guardsFormulas = guardsFormulas
    for name in GoodreadsColumn.exported { records.append(name) }
    records.endRecord()
  }

  /// Writes one book.
  public mutating func append(_ book: ImportedBook) {
    let isbn = Self.isbn(of: book)
    let tags = Self.names(of: book.tags)
    records.append("")
    append(text: book.title)
    append(text: book.author)
    appendEmpty(2)
    records.append(verbatim: "=\"\(isbn?.tenDigits ?? "")\"")
    records.append(verbatim: "=\"\(isbn?.text ?? "")\"")
    records.append("\(book.rating ?? 0)")
    appendEmpty(6)
    records.append(book.readAt.flatMap { CalendarDay(milliseconds: $0)?.text } ?? "")
    records.append("")
    append(text: tags.joined(separator: ", "))
    records.append("")
    records.append(book.read ? "read" : Self.exclusiveShelf(among: tags))
    append(text: LineBreaks.marked(book.notes))
    appendEmpty(2)
    records.append(book.read ? "1" : "0")
    records.append("")
    records.append(book.recordID.flatMap { RecordIDText.text(of: $0) } ?? "")
    records.endRecord()
  }

  /// Writes a whole file.
  public static func file(of books: [ImportedBook], guardsFormulas: Bool = true) -> [UInt8] {
    var writer = GoodreadsWriter(guardsFormulas: guardsFormulas)
    for book in books { writer.append(book) }
    return writer.bytes
  }

  private mutating func append(text: String) {
    records.append(guardsFormulas ? FormulaGuard.added(to: text) : text)
  }

  private mutating func appendEmpty(_ count: Int) {
    for _ in 0..<count { records.append("") }
  }

  private static func isbn(of book: ImportedBook) -> ISBN? {
    guard let text = book.isbn13 else { return nil }
    do throws(ISBN.Problem) {
      return try ISBN(Array(text.utf8)[...])
    } catch {
      return nil
    }
  }

  /// The tags as names of shelves: a comma within one would end it.
  private static func names(of tags: [String]) -> [String] {
    var names: [String] = []
    for tag in tags {
      let bytes = tag.utf8.map { $0 == .comma ? UInt8.space : $0 }[...].trimmed()
      if !bytes.isEmpty, !bytes.equalsIgnoringCase("read") {
        names.append(String(decoding: bytes, as: UTF8.self))
      }
    }
    return names
  }

  /// The shelf of Goodreads' own that the tags name; the first counts.
  private static func exclusiveShelf(among tags: [String]) -> String {
    for tag in tags {
      for shelf in ["currently-reading", "to-read"] where tag.utf8.elementsEqual(shelf.utf8) {
        return shelf
      }
    }
    return ""
  }
}

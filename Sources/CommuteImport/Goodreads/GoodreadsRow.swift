/// One row of the file on its way to become a book.
struct GoodreadsRow {
  /// What was not taken of the row.
  private(set) var notes: [ImportReport.Note] = []

  private let record: CSVRecord
  private let header: GoodreadsHeader
  private let textLimit: Int

  init(record: CSVRecord, header: GoodreadsHeader, textLimit: Int) {
    self.record = record
    self.header = header
    self.textLimit = textLimit
  }

  /// Makes the book; nil if the row has no title or its cells cannot be told apart.
  mutating func book() -> ImportedBook? {
    guard hasRightShape() else { return nil }
    let title = text(.title)
    guard !title.isEmpty else {
      note(.row, "no title; the row is left out")
      return nil
    }
    guard title.utf8.count <= textLimit else {
      note(.row, "longer than \(textLimit) bytes; the row is left out", at: .title)
      return nil
    }
    var book = ImportedBook(title: title, author: author(), line: record.line)
    book.recordID = recordID()
    book.isbn13 = isbn13()
    book.rating = rating()
    let shelves = shelves()
    book.readAt = dayRead()
    book.read = wasRead(isOnShelfRead: shelves.hasRead, hasDay: book.readAt != nil)
    book.tags = shelves.tags
    book.notes = writtenNotes()
    return book
  }

  // MARK: - Cells

  /// The cell of a column; nil if the file or the row ends before it.
  private func cell(_ column: GoodreadsColumn) -> CSVCell? {
    guard let place = header.place(of: column), place < record.cells.count else { return nil }
    return record.cells[place]
  }

  private func trimmed(_ column: GoodreadsColumn) -> ArraySlice<UInt8> {
    cell(column)?.bytes.trimmed() ?? []
  }

  /// The trimmed text of a cell, freed from the guard against formulas.
  private func text(_ column: GoodreadsColumn) -> String {
    let bytes = FormulaGuard.removed(from: trimmed(column)).trimmed()
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func note(
    _ loss: ImportReport.Note.Loss, _ reason: String, at column: GoodreadsColumn? = nil
  ) {
    let line = column.flatMap { cell($0)?.line } ?? record.line
    notes.append(.init(loss: loss, line: line, column: column?.name, reason: reason))
  }

  /// Compares the row with the header.
  ///
  /// Where a comma stands without quotes, all cells behind it have moved, and the last of them may
  /// be empty: no guess would be better than leaving the row out. One that ends early is whole.
  private mutating func hasRightShape() -> Bool {
    let counts = "\(record.cells.count) \(record.cells.count == 1 ? "cell" : "cells")"
    if record.cells.count > header.count {
      let cause = "a cell with a comma may lack its quotes"
      note(.row, "\(counts) under \(header.count) columns, \(cause); the row is left out")
      return false
    }
    if record.cells.count < header.count {
      note(.nothing, "\(counts) under \(header.count) columns; the others are taken as empty")
    }
    for (place, cell) in record.cells.enumerated() where cell.hasStrayQuote {
      let reason = "a quote in the cell is not doubled; look at what was taken"
      let column = header.name(at: place)
      notes.append(.init(loss: .nothing, line: cell.line, column: column, reason: reason))
    }
    return true
  }
}

// MARK: - What the book is

extension GoodreadsRow {
  /// The author, given name first if the file has it so.
  private mutating func author() -> String {
    for column in [GoodreadsColumn.author, .authorLastFirst] {
      let author = text(column)
      if author.utf8.count > textLimit {
        note(.cell, "longer than \(textLimit) bytes; it is not taken", at: column)
      } else if !author.isEmpty {
        return author
      }
    }
    return ""
  }

  private mutating func recordID() -> [UInt8]? {
    let cell = trimmed(.recordID)
    guard !cell.isEmpty else { return nil }
    if let id = RecordIDText.bytes(of: cell) { return id }
    note(.cell, "\(Quotation.of(cell)) is no id; the book is known by its name", at: .recordID)
    return nil
  }

  /// The ISBN; the longer form counts if both are there.
  private mutating func isbn13() -> String? {
    let short = isbn(at: .isbn)
    let long = isbn(at: .isbn13)
    if let short, let long, short != long {
      note(.cell, "ISBN and ISBN13 name different books; ISBN13 is taken", at: .isbn)
    }
    return (long ?? short)?.text
  }

  private mutating func isbn(at column: GoodreadsColumn) -> ISBN? {
    let cell = Self.withoutFormula(trimmed(column))
    guard !cell.isEmpty else { return nil }
    do throws(ISBN.Problem) {
      return try ISBN(cell)
    } catch {
      let problem =
        switch error {
        case .notTenOrThirteenDigits: "is not an ISBN of 10 or 13 digits"
        case .wrongCheckDigit: "is mistyped: the check digit does not fit"
        case .notABook: "does not begin with 978 or 979"
        }
      note(.cell, "\(Quotation.of(cell)) \(problem); it is not taken", at: column)
      return nil
    }
  }

  /// What stands between `="` and `"`: so spreadsheets are kept from taking it for a number.
  private static func withoutFormula(_ cell: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard cell.count >= 3, cell.first == .equals, cell.dropFirst().first == .quote,
      cell.last == .quote
    else { return cell }
    return cell.dropFirst(2).dropLast().trimmed()
  }
}

// MARK: - What its reader did with it

extension GoodreadsRow {
  private mutating func rating() -> Int? {
    let cell = trimmed(.rating)
    guard !cell.isEmpty else { return nil }
    if cell.count == 1, let stars = cell.first?.digitValue, stars <= 5 {
      return stars == 0 ? nil : stars
    }
    let problem = "is not a rating from 1 to 5, or 0 for none"
    note(.cell, "\(Quotation.of(cell)) \(problem); the book is taken without one", at: .rating)
    return nil
  }

  private mutating func dayRead() -> Int64? {
    let cell = trimmed(.dateRead)
    guard !cell.isEmpty else { return nil }
    do throws(CalendarDay.Problem) {
      return try CalendarDay(cell).milliseconds
    } catch {
      let problem =
        switch error {
        case .notADay: "is not a day written as YYYY/MM/DD"
        case .noSuchDay: "is no day of the calendar"
        case .outOfRange: "is not a day between 1900 and 2100"
        }
      note(.cell, "\(Quotation.of(cell)) \(problem); the book is taken without it", at: .dateRead)
      return nil
    }
  }

  /// Whether the book was read: the exclusive shelf decides.
  ///
  /// Where it says nothing, the shelf `read` among the others does, then the count of readings,
  /// then whether there is a day.
  private func wasRead(isOnShelfRead: Bool, hasDay: Bool) -> Bool {
    let exclusive = trimmed(.exclusiveShelf)
    if !exclusive.isEmpty { return exclusive.equalsIgnoringCase("read") }
    let count = trimmed(.readCount)
    if isOnShelfRead || count.isEmpty { return isOnShelfRead || hasDay }
    return count.contains { $0.digitValue != 0 } && count.allSatisfy { $0.digitValue != nil }
  }

  private mutating func shelves() -> Shelves {
    let shelves = Shelves(
      list: FormulaGuard.removed(from: trimmed(.bookshelves)),
      exclusive: FormulaGuard.removed(from: trimmed(.exclusiveShelf)))
    if shelves.hasLongName {
      let reason = "the name of a shelf is longer than \(Shelves.nameLimit) bytes; it is not taken"
      note(.cell, reason, at: .bookshelves)
    }
    if shelves.hasMore {
      let limit = Shelves.limit
      note(.cell, "more than \(limit) shelves; the first \(limit) are taken", at: .bookshelves)
    }
    return shelves
  }

  /// The review, then the private notes, an empty line between.
  private mutating func writtenNotes() -> String {
    var result: [UInt8] = []
    for column in [GoodreadsColumn.review, .privateNotes] {
      let lines = lines(in: column)
      guard !lines.isEmpty else { continue }
      let joint: [UInt8] = result.isEmpty ? [] : [.lineFeed, .lineFeed]
      if result.count + joint.count + lines.count <= textLimit {
        result += joint + lines
      } else {
        let what = result.isEmpty ? "longer" : "with the review longer"
        note(.cell, "\(what) than \(textLimit) bytes; it is not taken", at: column)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The text of a cell in which `<br/>`, CR LF and CR became LF; empty if nothing else is in it.
  private func lines(in column: GoodreadsColumn) -> [UInt8] {
    guard let cell = cell(column), !cell.bytes.trimmed().isEmpty else { return [] }
    return LineBreaks.lines(of: FormulaGuard.removed(from: cell.bytes))
  }
}

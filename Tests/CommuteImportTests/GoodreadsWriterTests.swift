import CommuteImport
import Testing

@Suite struct GoodreadsWriterTests {
  private func text(_ books: ImportedBook..., guardsFormulas: Bool = true) -> [String] {
    let bytes = GoodreadsWriter.file(of: books, guardsFormulas: guardsFormulas)
    let lines = bytes.split(separator: 0x0A)
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a file begins with the columns of Goodreads and ours`() throws {
    let sample = try DataFile("reading-list.csv").text.split(separator: "\n")
    #expect(text() == ["\(sample[0]),Commute Id"])
  }

  @Test func `a book is one line as Goodreads would write it`() {
    let book = ImportedBook(
      title: "Emma", author: "Jane Austen", isbn13: "9780141439587", tags: ["classics", "sea"],
      read: true, readAt: 1_582_934_400_000 + 5, rating: 4, notes: "One, \"two\"\nthree",
      recordID: Array(0xF0...0xFF))
    #expect(
      text(book).last
        == ",Emma,Jane Austen,,,=\"0141439580\",=\"9780141439587\",4,,,,,,,2020/02/29,,"
        + "\"classics, sea\",,read,\"One, \"\"two\"\"<br/>three\",,,1,,"
        + "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff")
  }

  @Test func `a book of which nothing is known is written too`() {
    #expect(text(ImportedBook(title: "Emma")).last == ",Emma,,,,=\"\",=\"\",0,,,,,,,,,,,,,,,0,,")
  }

  @Test func `the exclusive shelf of an unread book is the tag that names one`() {
    let book = ImportedBook(title: "Emma", tags: ["sea", "to-read", "currently-reading"])
    #expect(text(book).last?.contains("currently-reading\",,to-read,") == true)
  }

  @Test func `what a spreadsheet would run is kept from it`() {
    let evil = ["=1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1"]
    for title in evil {
      let line = text(ImportedBook(title: "x", notes: title)).last ?? ""
      let cell = line.split(separator: ",", omittingEmptySubsequences: false)[19]
      #expect(cell.hasPrefix("'") || cell.hasPrefix("\"'") || cell.hasPrefix("<br/>"), "\(cell)")
    }
    for title in ["'quoted'", "a=1", "1-1"] {
      #expect(text(ImportedBook(title: title)).last?.hasPrefix(",\(title),") == true)
    }
    #expect(text(ImportedBook(title: "=1"), guardsFormulas: false).last?.hasPrefix(",=1,") == true)
  }

  @Test func `what the format cannot hold is written as near as can be`() throws {
    let book = ImportedBook(
      title: "a\0b", isbn13: "9780141439580", tags: ["x,y", " Read ", " z ", ""],
      readAt: .max, notes: "<br>\r\n\r")
    let (books, report) = try GoodreadsReader.readAll(GoodreadsWriter.file(of: [book]))
    #expect(books == [ImportedBook(title: "a\u{FFFD}b", tags: ["x y", "z"], notes: "\n\n\n")])
    #expect(report.notes.isEmpty)
  }

  @Test func `the sample comes back as it was`() throws {
    for guardsFormulas in [true, false] {
      let books = try GoodreadsReader.readAll(DataFile("reading-list.csv").bytes).books
      let file = GoodreadsWriter.file(of: books, guardsFormulas: guardsFormulas)
      let (again, report) = try GoodreadsReader.readAll(file)
      #expect(again == books)
      #expect(report.notes.isEmpty)
    }
  }

  @Test func `any book comes back as it was`() throws {
    var dice = Dice(seed: 4)
    for round in 0..<2_000 {
      let books = (0..<dice.roll(4)).map { Self.book(number: $0, using: &dice) }
      let file = GoodreadsWriter.file(of: books)
      let (again, report) = try GoodreadsReader.readAll(file)
      guard again == books, report.notes.isEmpty else {
        Issue.record("round \(round) of seed 4: \(String(decoding: file, as: UTF8.self))")
        return
      }
    }
  }

  private static let pieces = [
    "a", "Z", "0", ",", "\"", "\"\"", "'", "=", "+", "-", "@", "<br", "/", ">", "é", "e\u{301}",
    "本", "😀", "read", "to-read", "  ", "\t", "\u{1B}", "\u{202E}", "\u{FEFF}", "=\"1\"",
  ]

  private static func text(from pieces: [String], using dice: inout Dice) -> String {
    var text = ""
    for _ in 0..<dice.roll(7) { text += dice.pick(pieces) }
    return text
  }

  /// A book that the format can hold: trimmed, no comma in tags, no tag twice, no `<br>` in notes.
  private static func book(number: Int, using dice: inout Dice) -> ImportedBook {
    func trimmed(_ text: String) -> String {
      let blanks: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r"]
      let scalars = text.unicodeScalars.drop { blanks.contains($0) }.reversed()
      return String(String.UnicodeScalarView(scalars.drop { blanks.contains($0) }.reversed()))
    }
    var book = ImportedBook(title: trimmed("\(text(from: pieces + ["\n"], using: &dice))\(number)"))
    book.author = trimmed(text(from: pieces + ["\r\n"], using: &dice))
    for _ in 0..<dice.roll(4) {
      let tag = trimmed(text(from: pieces.filter { $0 != "," }, using: &dice))
      let isTaken = book.tags.contains { $0.utf8.elementsEqual(tag.utf8) }
      if !isTaken, !tag.isEmpty, tag != "read" { book.tags.append(tag) }
    }
    book.isbn13 = dice.roll(3) == 0 ? "9780141439587" : nil
    if number > 0 { book.isbn13 = nil }
    book.read = dice.roll(2) == 0
    book.readAt = dice.roll(2) == 0 ? Int64(dice.roll(73_414) - 25_567) * 86_400_000 : nil
    book.rating = [nil, 1, 2, 3, 4, 5][dice.roll(6)]
    let notes = text(from: pieces.filter { $0 != ">" } + ["\n", "\n\n"], using: &dice)
    book.notes = trimmed(notes).isEmpty ? "" : notes
    book.recordID = dice.roll(3) == 0 ? (0..<16).map { _ in UInt8(dice.roll(256)) } : nil
    return book
  }
}

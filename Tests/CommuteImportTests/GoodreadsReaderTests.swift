import CommuteImport
import Testing

@Suite struct GoodreadsReaderTests {
  /// The books of a file with the given header and rows, and the lines of the report.
  private func read(_ lines: String...) throws -> (books: [ImportedBook], notes: [String]) {
    let bytes = Array(lines.joined(separator: "\n").utf8)
    let (books, report) = try GoodreadsReader.readAll(bytes)
    return (books, report.notes.map(\.text))
  }

  private func message(_ bytes: [UInt8]) -> String? {
    do throws(ImportError) {
      _ = try GoodreadsReader.readAll(bytes)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `columns are found by name, in any order, whatever their case`() throws {
    let (books, notes) = try read("my rating, AUTHOR ,Smell,Title", "4,Jane Austen,old,Emma")
    #expect(books == [ImportedBook(title: "Emma", author: "Jane Austen", rating: 4)])
    #expect(notes == [])
  }

  @Test func `a title is enough`() throws {
    let (books, notes) = try read("Title", "Emma", "Persuasion")
    #expect(books.map(\.title) == ["Emma", "Persuasion"])
    #expect(notes == [])
  }

  @Test func `the sorted form of the author stands in where the other is missing`() throws {
    let header = "Title,Author,Author l-f"
    let rows = ["Emma,,\"Austen, Jane\"", "Sult,Knut Hamsun,\"Hamsun, Knut\""]
    let books = try read(header, rows[0], rows[1]).books
    #expect(books.map(\.author) == ["Austen, Jane", "Knut Hamsun"])
  }

  @Test func `an ISBN counts in either form, with or without its formula`() throws {
    let books = try read(
      "Title,ISBN,ISBN13", "a,=\"\",=\"9780141439518\"", "b,=\"0141439587\",", "c,,9780141439549",
      "d,=\"\",=\"\"", "e,\"=\"\"0141439556\"\"\","
    ).books
    let isbns = books.map(\.isbn13)
    #expect(isbns == ["9780141439518", nil, "9780141439549", nil, "9780141439556"])
  }

  @Test func `shelves become tags, each once and in order, but read is a state`() throws {
    let books = try read(
      "Title,Bookshelves,Exclusive Shelf", "a,\"to-read, sea , ,sea,read\",to-read",
      "b,\"x,y\",read", "c,,abandoned", "d,,READ", "e,,\"a,b\""
    ).books
    #expect(
      books.map(\.tags) == [["to-read", "sea"], ["x", "y"], ["abandoned"], [], ["a", "b"]])
    #expect(books.map(\.read) == [false, true, false, true, false])
  }

  @Test func `canonically equal names of shelves are two, for their bytes differ`() throws {
    let books = try read("Title,Bookshelves", "a,\"caf\u{E9},cafe\u{301}\"").books
    #expect(books.first?.tags.count == 2)
  }

  @Test func `without an exclusive shelf the other cells tell whether a book was read`() throws {
    let header = "Title,Exclusive Shelf,Bookshelves,Read Count,Date Read"
    let books = try read(
      header, "a,,read,,", "b,,,2,", "c,,,0,2020/01/01", "d,,,,2020/01/01", "e,,,,", "f,,,x,",
      "h,,read,0,",
      "g,to-read,read,2,2020/01/01"
    ).books
    #expect(books.map(\.read) == [true, true, false, true, false, false, true, false])
    #expect(books.last?.readAt == 1_577_836_800_000)
  }

  @Test func `the day of reading is its midnight in UTC`() throws {
    let books = try read("Title,Date Read", "a,1970/01/02", "b,1969/12/31", "c,").books
    #expect(books.map(\.readAt) == [86_400_000, -86_400_000, nil])
  }

  @Test func `notes are the review, an empty line and the private notes`() throws {
    let books = try read(
      "Title,My Review,Private Notes", "a,one<br/>two<BR />three<br>four,five", "b,,six",
      "c,\"x\r\ny\rz\",", "d,<b>bold</b> <br<br,", "e,\" \n\", "
    ).books
    #expect(
      books.map(\.notes) == [
        "one\ntwo\nthree\nfour\n\nfive", "six", "x\ny\nz", "<b>bold</b> <br<br", "",
      ])
  }

  @Test func `rows for one book count once and the first wins`() throws {
    let (books, notes) = try read(
      "Title,Author,ISBN13,My Rating", "Emma,Jane Austen,,3", "\" EMMA \",jane  austen,,9",
      "Emma,Jane Austen,9780141439587,", "Other,,9780141439587,")
    #expect(books.map(\.rating) == [3, nil])
    #expect(
      notes == [
        "line 3: the same book as in line 2; the row is left out",
        "line 5: the same book as in line 4; the row is left out",
      ])
  }

  @Test func `books of one name with ids of their own are different books`() throws {
    let id = "01890000-0000-7000-8000-0000000000f"
    let books = try read("Title,Commute Id", "Emma,\(id)1", "Emma,\(id)2", "Emma,\(id)2").books
    #expect(books.map { $0.recordID?.last } == [0xF1, 0xF2])
    #expect(books.first?.recordID?.count == 16)
  }

  @Test func `an id is 16 bytes in five groups and nothing else`() throws {
    let wrong = [
      "018900000000700080000000000000f10000", "01890000-0000-7000-8000-0000000000f",
      "0189000-00000-7000-8000-0000000000f1", "01890000-0000-7000-8000-0000000000g1",
      "{1890000-0000-7000-8000-0000000000f}", "------------------------------------",
    ]
    for text in wrong {
      let (books, notes) = try read("Title,Commute Id", "Emma,\(text)")
      #expect(books.map(\.recordID) == [nil], "\(text)")
      #expect(notes.count == 1)
    }
  }

  @Test func `a wrong cell costs that cell only`() throws {
    let (books, notes) = try read(
      "Title,ISBN13,My Rating,Date Read", "Emma,9780141439588,6,2021/02/29")
    #expect(books == [ImportedBook(title: "Emma")])
    #expect(
      notes == [
        "line 2, ISBN13: \"9780141439588\" is mistyped: the check digit does not fit; it is not"
          + " taken",
        "line 2, My Rating: \"6\" is not a rating from 1 to 5, or 0 for none; the book is taken"
          + " without one",
        "line 2, Date Read: \"2021/02/29\" is no day of the calendar; the book is taken without it",
      ])
  }

  @Test func `a note names the line of the cell, not of the row`() throws {
    let notes = try read("Title,Author,My Rating", "\"Em\nma\",\"Jane\nAusten\",7").notes
    #expect(notes.first?.hasPrefix("line 4, My Rating:") == true)
  }

  @Test func `texts beyond the limit are not taken and the report says so`() throws {
    let long = String(repeating: "ä", count: 11)
    let lines = [
      "Title,Author,My Review,Private Notes", "\(long),,,", "a,\(long),,", "b,,\(long),kept",
      "c,,0123456789<br/>012345678,", "d,,0123456789,012345678", "e,,0123456789,01234567",
    ]
    let bytes = Array(lines.joined(separator: "\n").utf8)
    var reader = try GoodreadsReader(bytes, textLimit: 20)
    var books: [ImportedBook] = []
    while let book = reader.next() { books.append(book) }
    #expect(
      books.map { "\($0.title)|\($0.author)|\($0.notes)" } == [
        "a||", "b||kept", "c||0123456789\n012345678", "d||0123456789",
        "e||0123456789\n\n01234567",
      ])
    #expect(
      reader.report.notes.map(\.text) == [
        "line 2, Title: longer than 20 bytes; the row is left out",
        "line 3, Author: longer than 20 bytes; it is not taken",
        "line 4, My Review: longer than 20 bytes; it is not taken",
        "line 6, Private Notes: with the review longer than 20 bytes; it is not taken",
      ])
  }

  @Test func `a shelf with a name without end is not taken`() throws {
    let name = String(repeating: "x", count: 1001)
    let (books, notes) = try read("Title,Bookshelves", "a,\"\(name),sea\"")
    #expect(books.first?.tags == ["sea"])
    #expect(notes.first?.hasSuffix("is longer than 1000 bytes; it is not taken") == true)
  }

  @Test func `a file that is no list of books says what it is and what to do`() {
    let utf16: [UInt8] = [0xFF, 0xFE, 0x54, 0x00]
    #expect(message(utf16)?.hasPrefix("the file is in UTF-16; save it as CSV") == true)
    #expect(message([0x50, 0x4B, 3, 4])?.hasPrefix("the file is a spreadsheet or") == true)
    #expect(message(Array("Title;Author\na;b".utf8))?.contains("with semicolons") == true)
    #expect(message(Array("Title\tAuthor\na\tb".utf8))?.contains("with tabs") == true)
    for empty in [[], [0x0A, 0x0D], [0xEF, 0xBB, 0xBF]] as [[UInt8]] {
      #expect(message(empty) == "the file is empty; export the library from Goodreads again")
    }
    #expect(
      message(Array("Book,Author\u{1B}\na,b".utf8))
        == "no column is called Title; line 1 names Book, Author\\u{1B};"
        + " import the file as Goodreads exports it")
    #expect(
      message(Array("\n\nTitle,\"Author\na,b".utf8))
        == "line 3, which should name the columns, cannot be read:"
        + " the quote that opens here is never closed")
  }

  @Test func `a file may have no rows`() throws {
    let (books, report) = try GoodreadsReader.readAll(Array("Title,Author\n".utf8))
    #expect(books == [])
    #expect(report.lines == ["0 of 0 rows taken"])
  }

  @Test func `a header without end is told in part`() throws {
    let names = ["Title"] + (1...35).map { "Column \($0)" }
    let report = try GoodreadsReader.readAll(Array(names.joined(separator: ",").utf8)).report
    #expect(report.ignoredColumns.count == 35)
    #expect(report.lines.last?.hasSuffix("Column 29, Column 30 and 5 more") == true)
  }
}

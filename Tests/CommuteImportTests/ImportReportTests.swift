import CommuteImport
import Foundation
import Testing

@Suite struct ImportReportTests {
  @Test func `the hostile file gives the report that its maker foresaw`() throws {
    let report = try GoodreadsReader.readAll(DataFile("hostile.csv").bytes).report
    let expected = try DataFile("hostile.expected.txt").text.split(separator: "\n").map(String.init)
    for (line, wanted) in zip(report.lines, expected) { #expect(line == wanted) }
    #expect(report.lines.count == expected.count)
  }

  @Test func `the hostile file gives the books that can be saved from it`() throws {
    let books = try GoodreadsReader.readAll(DataFile("hostile.csv").bytes).books
    func book(_ title: String) -> ImportedBook? { books.first { $0.title == title } }
    #expect(
      book("Pride and Prejudice")
        == ImportedBook(
          title: "Pride and Prejudice", author: "Jane Austen", isbn13: "9780141439518",
          tags: ["classics", "favourites"], read: true, readAt: 1_582_934_400_000, rating: 5,
          notes: "Witty, and \"wise\"."))
    #expect(book("Middlemarch")?.notes == "A review\nof three\nlines\nand\nmore\n")
    let persuasion = ImportedBook(title: "Persuasion", author: "Jane Austen", tags: ["to-read"])
    #expect(book("Persuasion") == persuasion)
    #expect(book("Two Books")?.isbn13 == "9780141439556")
    #expect(book("An X at the End")?.isbn13 == "9780804429573")
    #expect(book("=1+1")?.author == "'-2")
    #expect(book("=HYPERLINK(\"http://example.invalid/?\"&A1,\"Read\")")?.notes == "+1-1")
    #expect(book("Ten Thousand")?.notes.utf8.count == 10_000)
    #expect(book("Ten Thousand Quotes")?.notes.utf8.allSatisfy { $0 == 0x22 } == true)
    #expect(book("Ten Thousand Books")?.notes.unicodeScalars.count == 10_000)
    #expect(book("Many Shelves")?.tags.count == 100)
    #expect(book("Shelves")?.tags.map { $0.utf8.count } == [1, 3, 2, 3, 9])
    #expect(book("Moby-Dick or The Whale")?.author == "Herman \"Call Me\" Melville")
  }

  @Test func `the hostile file is what its maker makes`() throws {
    let folder = try TemporaryFolder()
    let script = folder.url.appending(path: "make-hostile.py")
    try DataFile("make-hostile.py").text.write(to: script, atomically: true, encoding: .utf8)
    _ = try TemporaryFolder.python([script.path])
    for name in ["hostile.csv", "hostile.expected.txt"] {
      let made = try Data(contentsOf: folder.url.appending(path: name))
      let kept = try Data(contentsOf: DataFile(name).url)
      #expect(made == kept, "run make-hostile.py again: \(name) is not what it makes")
    }
  }

  @Test func `the sample is taken whole`() throws {
    let (books, report) = try GoodreadsReader.readAll(DataFile("reading-list.csv").bytes)
    #expect(books.count >= 120)
    #expect(report.notes.isEmpty)
    #expect(report.summary == "\(books.count) of \(books.count) rows taken")
    let onegin = try #require(books.first { $0.title == "Евгений Онегин" })
    #expect(onegin.author == "Александр Пушкин")
    #expect(onegin.notes.hasPrefix("«Мы все учились понемногу\nЧему-нибудь и как-нибудь»"))
    #expect(onegin.tags == ["русская-классика", "poetry"])
    #expect(onegin.readAt == 1_660_435_200_000)
    #expect(books.filter { $0.isbn13 != nil }.count == 16)
    #expect(Set(books.map(\.identityBytes)).count == books.count)
  }

  @Test func `the report counts every row exactly once`() throws {
    let report = try GoodreadsReader.readAll(DataFile("hostile.csv").bytes).report
    #expect(report.rows == report.taken + report.leftOut + report.repeated)
  }
}

import CommuteImport
import Testing

@Suite struct ImportedBookTests {
  private func identity(_ title: String, _ author: String = "", isbn13: String? = nil) -> String {
    let book = ImportedBook(title: title, author: author, isbn13: isbn13)
    return String(decoding: book.identityBytes, as: UTF8.self)
  }

  @Test func `the ISBN alone is the identity where there is one`() {
    #expect(identity("Emma", "Jane Austen", isbn13: "9780141439587") == "isbn:9780141439587")
  }

  @Test func `title and author are folded, with a zero byte between`() {
    #expect(identity("Emma", "Jane Austen") == "title:emma\0jane austen")
    #expect(identity("\t The \u{B}\u{C} SEA\r\n", "  ") == "title:the sea\0")
  }

  @Test func `only the six blanks and the letters A to Z are folded`() {
    #expect(identity("É\u{A0}\u{3000}Ω @[`{", "ЛЕВ") == "title:É\u{A0}\u{3000}Ω @[`{\0ЛЕВ")
    let isSame = identity("caf\u{E9}").utf8.elementsEqual(identity("cafe\u{301}").utf8)
    #expect(!isSame)
  }

  @Test func `what is in the author cannot be mistaken for the title`() {
    #expect(identity("a b", "c") != identity("a", "b c"))
  }

  @Test func `books are the same if every byte is, wherever they were read`() {
    var one = ImportedBook(title: "caf\u{E9}", tags: ["a"], line: 3)
    var other = one
    other.line = 4
    #expect(one == other)
    other.title = "cafe\u{301}"
    #expect(one != other)
    other = one
    one.tags = ["\u{E9}"]
    other.tags = ["e\u{301}"]
    #expect(one != other)
  }
}

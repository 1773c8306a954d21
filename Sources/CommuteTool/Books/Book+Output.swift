import CommuteCore
import CommuteFeatures
import Foundation

extension Book {
  /// The book for programs.
  var json: JSON {
    [
      "id": .text(id.text), "title": .text(title), "author": .text(author), "tags": JSON(tags),
      "read": .boolean(read), "readAt": JSON(readAt?.formatted(.iso8601)), "rating": JSON(rating),
      "notes": .text(notes), "isbn": JSON(isbn),
    ]
  }

  /// The stars, as `★★★★☆`.
  var stars: String {
    guard let rating, (1...5).contains(rating) else { return "" }
    return String(repeating: "★", count: rating) + String(repeating: "☆", count: 5 - rating)
  }

  /// The day it was read; empty where nobody knows.
  var dayRead: String {
    readAt?.formatted(Date.ISO8601FormatStyle().year().month().day()) ?? ""
  }
}

/// Books as lines of a terminal.
enum BookLines {
  /// A line a book, under heads; so many characters of an id tell all books apart.
  static func table(_ books: [Book], idLength length: Int) -> [String] {
    var table = TextTable(["id", "", "title", "author", "stars", "tags"], widthLimit: 44)
    table.rows = books.map { book in
      [
        String(book.id.text.prefix(length)), book.read ? "✓" : "·", book.title, book.author,
        book.stars, book.tags.joined(separator: ", "),
      ]
    }
    return table.withHeads
  }

  /// How many books there are, as `3 of 163 books`.
  static func count(_ shown: Int, of all: Int) -> String {
    "\(shown == all ? "" : "\(shown) of ")\(all) \(all == 1 ? "book" : "books")"
  }

  /// Everything about one book.
  static func all(of book: Book) -> [String] {
    var lines = [book.title]
    if !book.author.isEmpty { lines.append("by \(book.author)") }
    var table = TextTable(["", ""], widthLimit: 100)
    table.rows.append(["id", book.id.text])
    let day = book.dayRead.isEmpty ? "" : ", \(book.dayRead)"
    table.rows.append(["read", (book.read ? "yes" : "no") + day])
    if !book.stars.isEmpty { table.rows.append(["stars", book.stars]) }
    if !book.tags.isEmpty { table.rows.append(["tags", book.tags.joined(separator: ", ")]) }
    if let isbn = book.isbn { table.rows.append(["ISBN", isbn]) }
    lines += [""] + table.plain
    if !book.notes.isEmpty {
      lines +=
        [""]
        + book.notes.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .map(String.init)
    }
    return lines
  }
}

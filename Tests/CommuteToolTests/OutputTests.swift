import CommuteFeatures
import Foundation
import Testing

@testable import CommuteTool

@Suite struct OutputTests {
  @Test func `no text can move the cursor or turn the line around`() {
    #expect(TerminalText.safe("Emma \u{1B}[2J") == "Emma \\u{1B}[2J")
    #expect(TerminalText.safe("a\rb\nc\u{0}") == "a\\u{D}b\\u{A}c\\u{0}")
    #expect(TerminalText.safe("left\u{202E}right") == "left\\u{202E}right")
    #expect(TerminalText.safe("Анна 安娜 🍎 é") == "Анна 安娜 🍎 é")
  }

  @Test func `columns are as wide as a terminal shows them`() {
    #expect(TerminalText.width("Emma") == 4)
    #expect(TerminalText.width("红楼梦") == 6)
    #expect(TerminalText.width("e\u{301}") == 1)
    #expect(TerminalText.width("★★☆") == 3)
    #expect(TerminalText.shortened("红楼梦", to: 5) == "红楼…")
    #expect(TerminalText.shortened("Emma", to: 4) == "Emma")
    #expect(TerminalText.shortened("Emma Woodhouse", to: 5) == "Emma…")
  }

  @Test func `a table is drawn with lines, whatever its cells hold`() {
    var table = TextTable(["title", "read"])
    table.rows = [["Emma", "✓"], ["红楼梦\nx", ""], ["\u{1B}"]]
    #expect(
      table.boxed == [
        "┌────────────┬──────┐", "│ title      │ read │", "├────────────┼──────┤",
        "│ Emma       │ ✓    │", "│ 红楼梦 ⏎ x │      │", "│ \\u{1B}     │      │",
        "└────────────┴──────┘",
      ])
    #expect(table.plain.first == "Emma        ✓")
    #expect(table.withHeads.prefix(2) == ["title       read", "────────────────"])
  }

  @Test func `JSON keeps its order and escapes what it must`() {
    let json: JSON = [
      "b": 1, "a": [true, nil, .text("\"\\\n\u{1}\u{2028}ü")], "c": .object([]),
    ]
    #expect(
      json.encoded == #"{"b":1,"a":[true,null,"\"\\\n\u0001\u2028ü"],"c":{}}"#)
  }

  @Test func `a book shows its stars and its day`() {
    #expect(Book(rating: 3).stars == "★★★☆☆")
    #expect(Book().stars == "")
    #expect(Book(rating: 99).stars == "")
    #expect(Book(readAt: .init(timeIntervalSince1970: 0)).dayRead == "1970-01-01")
  }
}

@testable import CommuteCore
import Testing

/// How texts fall into pieces, what a comparison may cost, and values that are no texts.
@Suite struct TextPieceTests {
  static func words(_ text: String) -> [String] { TextMerge.words(text).keys.map { $0.text } }
  static func lines(_ text: String) -> [String] { TextMerge.lines(text).keys.map { $0.text } }

  @Test func `words and the space between them are pieces`() {
    #expect(Self.words("") == [])
    #expect(Self.words("a") == ["a"])
    #expect(Self.words("ab  c\t\r\nd ") == ["ab", "  ", "c", "\t\r\n", "d", " "])
    #expect(Self.words("a\u{1F}b\u{21}\u{0B}\u{0C}c") == ["a\u{1F}b\u{21}\u{0B}\u{0C}c"])
    #expect(Self.words("naïve café") == ["naïve", " ", "café"])
  }

  @Test func `ideographs and kana are pieces each alone, other scripts are not`() {
    #expect(Self.words("東京は") == ["東", "京", "は"])
    #expect(Self.words("a東b") == ["a", "東", "b"])
    #expect(Self.words("\u{3000}x") == ["\u{3000}", "x"])
    #expect(Self.words("\u{9FFF}x") == ["\u{9FFF}", "x"])
    #expect(Self.words("\u{2FFF}x\u{A000}y") == ["\u{2FFF}x\u{A000}y"])
    #expect(Self.words("한국어") == ["한국어"])
  }

  @Test func `lines are pieces with their ends`() {
    #expect(Self.lines("") == [])
    #expect(Self.lines("a\n\nb\r\nc") == ["a\n", "\n", "b\r\n", "c"])
    #expect(Self.lines("a\n") == ["a\n"])
    #expect(TextMerge.lines("a").isOfLines)
    #expect(!TextMerge.words("a").isOfLines)
  }

  @Test func `space is space, tab and the ends of lines`() {
    let found = (0...255).map { UInt8($0) }.filter { TextMerge.isSpaceByte($0) }
    #expect(found == [0x09, 0x0A, 0x0D, 0x20])
  }

  @Test func `no text and an empty one are the same base`() {
    let merged = TextMerge.merge(
      base: .null, mine: .text(""), theirs: .text("x"), mineIsLater: true)
    #expect(merged.value == .text("x"))
    #expect(!merged.isConflict)
    let other = TextMerge.merge(
      base: .null, mine: .text("x"), theirs: .text(""), mineIsLater: true)
    #expect(other.value == .text("x"))
  }

  @Test func `values that are no texts are a conflict that the later one wins`() {
    for (base, mine, theirs) in [
      (FieldValue.integer(1), FieldValue.text("a"), FieldValue.text("b")),
      (.text("c"), .integer(1), .text("b")), (.text("c"), .text("a"), .integer(1)),
    ] {
      for isLater in [true, false] {
        let merged = TextMerge.merge(
          base: base, mine: mine, theirs: theirs, mineIsLater: isLater)
        #expect(merged.value == (isLater ? mine : theirs))
        #expect(merged.isConflict)
      }
    }
  }

  @Test func `where a comparison would cost too much there is none`() {
    // 1,024 × 1,024 pieces are compared; one more on either side are not.
    func pieces(_ letter: String, _ count: Int) -> TextMerge.Pieces {
      TextMerge.Pieces(keys: (0..<count).map { Key("\(letter)\($0)") })
    }
    let greatest = pieces("a", 1_024)
    #expect(TextMerge.greatestComparison == 1_048_576)
    #expect(TextChange.all(from: greatest, to: pieces("b", 1_024))?.count == 1)
    #expect(TextChange.all(from: greatest, to: pieces("b", 1_025)) == nil)
    #expect(TextChange.all(from: pieces("a", 1_025), to: pieces("b", 1_024)) == nil)
  }

  /// The changes between two texts of one-letter words.
  static func changes(_ old: String, _ new: String) -> [String] {
    let changes = TextChange.all(
      from: TextMerge.Pieces(keys: old.map { Key(String($0)) }),
      to: TextMerge.Pieces(keys: new.map { Key(String($0)) }))
    return (changes ?? []).map { change in
      "\(change.start)-\(change.end):" + change.pieces.map { $0.text }.joined()
    }
  }

  @Test(
    arguments: [
      ("abc", "abc", []), ("", "", []), ("abc", "", ["0-3:"]), ("", "abc", ["0-0:abc"]),
      ("abc", "aXc", ["1-2:X"]), ("abc", "ac", ["1-2:"]), ("ac", "abc", ["1-1:b"]),
      ("aba", "aa", ["1-2:"]), ("aa", "aba", ["1-1:b"]), ("aaa", "aa", ["2-3:"]),
      ("aa", "aaa", ["2-2:a"]), ("abcd", "bXd", ["0-1:", "2-3:X"]),
      ("abcde", "xbydz", ["0-1:x", "2-3:y", "4-5:z"]),
      ("ab", "ba", ["0-1:", "2-2:a"]), ("abxc", "axbc", ["1-2:", "3-3:b"]),
      ("abcabba", "cbabac", ["0-2:", "3-4:", "5-5:a", "7-7:c"]),
      ("xaby", "pabq", ["0-1:p", "3-4:q"]),
    ] as [(String, String, [String])])
  func `a common piece is kept wherever it can be, and the base's is left out first`(
    old: String, new: String, expected: [String]
  ) {
    #expect(Self.changes(old, new) == expected)
  }
}

import CommuteCore
import CommuteTestKit
import Testing

@Suite struct TextMergeTests {
  static func merge(
    _ base: String, _ mine: String, _ theirs: String, mineIsLater: Bool = true
  ) -> (text: String, isConflict: Bool) {
    let outcome = TextMerge.merge(
      base: .text(base), mine: .text(mine), theirs: .text(theirs), mineIsLater: mineIsLater)
    guard case .text(let text) = outcome.value else { return ("no text", false) }
    return (text, outcome.isConflict)
  }

  @Test(arguments: [
    // What only one side changed.
    ("a b c", "a B c", "a b c", "a B c"), ("a b c", "a b c", "a b C", "a b C"),
    // Different words.
    ("a b c", "A b c", "a b C", "A b C"), ("a b c d", "a c d", "a b c", "a c"),
    ("one two", "one and two", "one two three", "one and two three"),
    ("x y", "new x y", "x y end", "new x y end"),
    // Both alike.
    ("a b c", "a X c", "a X c", "a X c"), ("a b c", "a X c Y", "a X c", "a X c Y"),
    ("a c", "a b c", "a b c d", "a b c d"),
    // A replaced word beside an inserted one.
    ("a c", "a d", "a b c", "a b d"), ("a b c", "a c", "a b x c", "a x c"),
    // Ideographs are words by themselves.
    (
      "\u{6771}\u{4EAC}\u{306F}", "\u{6771}\u{4EAC}\u{3082}", "\u{5927}\u{4EAC}\u{306F}",
      "\u{5927}\u{4EAC}\u{3082}"
    ),
    // Lines and tabs are space like any other.
    ("a\nb\tc", "a\nB\tc", "a\nb\tC", "a\nB\tC"),
    ("", "a", "a", "a"),
  ])
  func `changes of different places are both there`(
    base: String, mine: String, theirs: String, expected: String
  ) {
    for mineIsLater in [false, true] {
      let merged = Self.merge(base, mine, theirs, mineIsLater: mineIsLater)
      #expect(merged.text == expected)
      #expect(!merged.isConflict)
      #expect(Self.merge(base, theirs, mine, mineIsLater: mineIsLater).text == expected)
    }
  }

  @Test(arguments: [
    ("cat", "dog", "bird", "bird dog"), ("", "dog", "bird", "bird dog"),
    ("a cat b", "a dog b", "a bird b", "a bird dog b"),
    ("a c", "a b c", "a x c", "a x b c"),
    // One deleted what the other changed: the change stays.
    ("a b c", "a c", "a X c", "a X c"),
    // A change over two words and one within them.
    ("a b c d", "a X d", "a b Y d", "a b Y X d"),
    // An insertion between words that are gone.
    ("a b c", "", "a x b c", "a x b c"),
  ])
  func `where both changed one place both are kept, the later second`(
    base: String, mine: String, theirs: String, expected: String
  ) {
    let merged = Self.merge(base, mine, theirs)
    #expect(merged.text == expected)
    #expect(merged.isConflict)
    let turned = Self.merge(base, theirs, mine, mineIsLater: false)
    #expect(turned.text == expected)
    #expect(turned.isConflict)
  }

  @Test func `no value counts as an empty text, other kinds as a whole`() {
    let none = TextMerge.merge(
      base: .text("a"), mine: .null, theirs: .text("a b"), mineIsLater: true)
    #expect(none.value == .text(" b"))
    let first = TextMerge.merge(
      base: .null, mine: .text("a"), theirs: .text("b"), mineIsLater: false)
    #expect(first.value == .text("a b"))
    let other = TextMerge.merge(
      base: .null, mine: .integer(1), theirs: .text("b"), mineIsLater: true)
    #expect(other.value == .integer(1))
    #expect(other.isConflict)
  }

  @Test func `texts that only look alike are two`() {
    let merged = Self.merge("\u{E9}", "e\u{301}", "\u{E9} x")
    #expect(merged.text.utf8.elementsEqual("e\u{301} x".utf8))
  }

  @Test func `too many words are merged by lines, too many lines whole`() {
    func words(_ mark: String, _ count: Int) -> String {
      (0..<count).map { "\(mark)\($0)" }.joined(separator: " ")
    }
    // 2,047 pieces each side in the middle: more pairs than are looked at.
    let base = "first\n" + words("b", 1_024) + "\nlast"
    let mine = "FIRST\n" + words("m", 1_024) + "\nlast"
    let merged = Self.merge(base, mine, "first\n" + words("b", 1_024) + "\nlast\nmore")
    #expect(merged.text == "FIRST\n" + words("m", 1_024) + "\nlast\nmore")
    #expect(!merged.isConflict)
    let long = (0..<1_100).map { "b\($0) x\n" }.joined()
    let one = (0..<1_100).map { "m\($0) x\n" }.joined()
    let two = (0..<1_100).map { "t\($0) x\n" }.joined()
    let whole = Self.merge(long, one, two)
    #expect(whole.text == two + one)
    #expect(whole.isConflict)
  }

  @Test func `what would be too long for a field is the later text alone`() {
    let one = String(repeating: "a", count: Limits.textBytes / 2)
    let two = String(repeating: "b", count: Limits.textBytes / 2)
    let merged = Self.merge("", one, two)
    #expect(merged.text == one)
    #expect(merged.isConflict)
  }

  /// Words of every side are there unless another took them out; none come from nowhere; and who
  /// is called mine does not matter.
  @Test func `random texts merge without loss, invention or preference`() {
    var random = SeededGenerator(seed: 11)
    let words = ["a", "b", "c", "d", "e", "\u{6771}"]
    func drawn(_ count: Int) -> [String] { (0..<count).map { _ in words[random.draw(6)] } }
    func edited(_ text: [String], _ mark: String) -> [String] {
      var text = text
      for number in 0..<random.draw(3) {
        let place = random.draw(text.count + 1)
        switch random.draw(3) {
        case 0 where place < text.count: text.remove(at: place)
        case 1 where place < text.count: text[place] = "\(mark)\(number)"
        default: text.insert("\(mark)\(number)", at: place)
        }
      }
      return text
    }
    for _ in 0..<3_000 {
      let base = drawn(random.draw(7))
      let mine = edited(base, "m")
      let theirs = edited(base, "t")
      let texts = [base, mine, theirs].map { $0.joined(separator: " ") }
      let merged = Self.merge(texts[0], texts[1], texts[2])
      let turned = Self.merge(texts[0], texts[2], texts[1], mineIsLater: false)
      #expect(merged.text == turned.text && merged.isConflict == turned.isConflict)
      let result = merged.text.split(separator: " ").map { String($0) }
      for word in result { #expect(base.contains(word) || (mine + theirs).contains(word)) }
      for word in mine where word.hasPrefix("m") { #expect(result.contains(word), "\(texts)") }
      for word in theirs where word.hasPrefix("t") { #expect(result.contains(word), "\(texts)") }
      #expect(Self.merge(texts[0], texts[1], texts[0]).text == texts[1])
      #expect(Self.merge(texts[0], texts[0], texts[2]).text == texts[2])
    }
  }
}

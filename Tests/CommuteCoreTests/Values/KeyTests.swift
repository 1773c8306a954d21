import CommuteCore
import Testing

@Suite struct KeyTests {
  /// Names that differ early, late, in length, in normal form and around the eighth byte.
  static let names: [Key] = [
    "", "a", "ab", "b", "B", "abcdefgh", "abcdefghi", "abcdefghj", "abcdefg", "abcdefg\u{0}",
    "a\u{0}", "\u{E9}", "e\u{301}", "e", "\u{1F600}", "\u{FFFF}", "zzzzzzzzzzzzzzzz",
    "zzzzzzzzzzzzzzzy", "zzzzzzzz",
  ]

  @Test func `names are ordered and told apart by their bytes`() {
    for one in Self.names {
      for other in Self.names {
        let left = Array(one.text.utf8)
        let right = Array(other.text.utf8)
        #expect((one == other) == (left == right), "\(left) \(right)")
        #expect((one < other) == left.lexicographicallyPrecedes(right), "\(left) \(right)")
        if one == other { #expect(one.hashValue == other.hashValue) }
      }
    }
  }

  @Test func `canonically equivalent names are two names`() {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    #expect(composed == decomposed)
    #expect(Key(composed) != Key(decomposed))
    #expect(Set([Key(composed), Key(decomposed)]).count == 2)
    #expect(Key(decomposed) < Key(composed))
  }
}

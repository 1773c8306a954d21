import Testing

/// The rules see what the lexer shows them.
@Suite struct SwiftLexerTests {
  private func words(_ source: String) -> [String] {
    SwiftLexer(source).tokens.filter { $0.kind == .word }.map(\.text)
  }

  @Test func `text and comments are not code`() {
    let source = """
      let a = "b // \\"c" // d "e"
      /* f /* g */ h */ let i = #"j \\"k"#
      """
    #expect(words(source) == ["let", "a", "let", "i"])
  }

  @Test func `what is interpolated is code`() {
    #expect(words(#"a("b \(c(d, "e \(f)")) g") h"#) == ["a", "c", "d", "f", "h"])
    #expect(words(##"#"a \(b) \#(c)"# d"##) == ["c", "d"])
  }

  @Test func `text may span lines and hold quotes`() {
    let source = "let a = \"\"\"\n  \"b\" c\n  \\(d)\n  \"\"\"\nlet e"
    #expect(words(source) == ["let", "a", "d", "let", "e"])
    #expect(SwiftLexer(source).tokens.last?.line == 5)
  }

  @Test func `names in backticks are one word`() {
    #expect(words("func `a b(c)`() {}") == ["func", "`a b(c)`"])
  }

  @Test func `directives are words and expressions between hashes are text`() {
    #expect(words("#if A\n  let b = #/c\"d/#\n#endif") == ["#if", "A", "let", "b", "#endif"])
  }

  @Test func `comments keep their lines and their kind`() {
    let comments = SwiftLexer("/// A\nlet b  // C\n/*\n * D\n */").comments
    #expect(comments.map(\.text) == ["A", "C", "", "D", ""])
    #expect(comments.map(\.line) == [1, 2, 3, 4, 5])
    #expect(comments.map(\.isDocumentation) == [true, false, false, false, false])
  }

  @Test func `an end that is missing ends at the end`() {
    #expect(words("a \"b") == ["a"])
    #expect(words("a /* b") == ["a"])
    #expect(words("a \"\\(b") == ["a", "b"])
  }
}

import Testing

/// Every line of Swift in an article is compiled and run.
@Suite struct SnippetRules {
  @Test func `the code of every article stands in a test`() {
    let complaints = Snippets.ofTree.complaints
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
  }

  @Test func `articles and tests are really read`() {
    #expect(Snippets.ofTree.blocks.count > 30)
    #expect(Snippets.ofTree.parts.count > 30)
  }

  private func complaints(_ article: String, _ test: String) -> [String] {
    Snippets(
      articles: [("A.md", article)], tests: [SourceFile(path: "Tests/ATests/A.swift", text: test)]
    ).complaints
  }

  /// A snippet in an article and in a test.
  private let article = "# A\n\n<!-- snippet: a -->\n```swift\nlet a = [\n  1\n]\n```\n"
  private let test = "func b() {\n  // snippet: a\n  let a = [\n    1\n  ]\n  // end\n}\n"

  @Test func `code that stands in a test is left alone, whatever its indentation`() {
    #expect(complaints(article, test) == [])
    #expect(complaints("```sh\nls\n```\n", "let a = \"// snippet: a\"") == [])
  }

  @Test(arguments: [
    ("\n  1\n", "\n  2\n", "A.md:4: a reads otherwise in Tests/ATests/A.swift:2"),
    ("\n  1\n", "\n    1\n", "A.md:4: a reads otherwise in Tests/ATests/A.swift:2"),
    ("\n  1\n", "\n  1\n\n", "A.md:4: a reads otherwise in Tests/ATests/A.swift:2"),
    ("<!-- snippet: a -->\n", "", "A.md:3: name the snippet of a test: <!-- snippet: NAME -->"),
    ("snippet: a", "snippet: b", "A.md:4: b stands in no test"),
    ("```swift", "```sh", "Tests/ATests/A.swift:2: a stands in no article"),
  ])
  func `an article that says something else is found`(
    what: String, other: String, complaint: String
  ) {
    #expect(complaints(article.replacing(what, with: other), test).contains(complaint))
  }

  @Test func `a snippet without an end, and one name for two, are found`() {
    #expect(
      complaints(article, test.replacing("  // end\n", with: "")).contains(
        "Tests/ATests/A.swift:2: a has no end"))
    #expect(
      complaints(article, test + test) == [
        "Tests/ATests/A.swift:9: a is the name of two snippets"
      ])
  }
}

import Foundation

/// The Swift code of the articles, and the tests in which it stands.
///
/// A block of an article is preceded by `<!-- snippet: NAME -->` and stands, but for the common
/// indentation, between `// snippet: NAME` and `// end` of a test.
struct Snippets {
  /// A piece of code, where it begins, and what it is called there.
  struct Piece: Sendable {
    var path: String
    var line: Int
    var name: String?
    var text: String
  }

  /// The blocks of the articles.
  private(set) var blocks: [Piece] = []
  /// The marked parts of the tests.
  private(set) var parts: [Piece] = []
  private var problems: [String] = []

  init(articles: [(path: String, text: String)], tests: [SourceFile]) {
    for article in articles { read(article.text, article.path) }
    for file in tests { read(file) }
  }

  /// Those of the package.
  static let ofTree = Snippets(
    articles: Tree.paths(below: "Sources")
      .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
      .compactMap { path in Tree.text(of: path).map { (path, $0) } },
    tests: Tree.sources.filter(\.isTest))

  /// What is not as it must be, a line each.
  var complaints: [String] {
    var complaints = problems
    let known = Dictionary(grouping: parts) { $0.name ?? "" }
    for part in known.values.flatMap({ $0.dropFirst() }) {
      complaints.append(Self.say(part, "is the name of two snippets"))
    }
    for block in blocks {
      guard let name = block.name else {
        complaints.append(Self.say(block, "name the snippet of a test: <!-- snippet: NAME -->"))
        continue
      }
      guard let part = known[name]?.first else {
        complaints.append(Self.say(block, "stands in no test"))
        continue
      }
      if part.text != block.text {
        complaints.append(Self.say(block, "reads otherwise in \(part.path):\(part.line)"))
      }
    }
    let used = Set(blocks.compactMap(\.name))
    for part in parts where !used.contains(part.name ?? "") {
      complaints.append(Self.say(part, "stands in no article"))
    }
    return complaints
  }

  private static func say(_ piece: Piece, _ message: String) -> String {
    "\(piece.path):\(piece.line): \(piece.name.map { "\($0) " } ?? "")\(message)"
  }

  /// Collects the Swift blocks of an article.
  private mutating func read(_ article: String, _ path: String) {
    let lines = article.split(separator: "\n", omittingEmptySubsequences: false)
    var start: Int?
    var isSwift = false
    for (index, line) in lines.enumerated() where line.drop(while: { $0 == " " }).hasPrefix("```") {
      guard let first = start else {
        start = index
        isSwift = line.drop { $0 == " " }.hasPrefix("```swift")
        continue
      }
      start = nil
      guard isSwift else { continue }
      let above = lines[..<first].last { !$0.isEmpty } ?? ""
      blocks.append(
        Piece(
          path: path, line: first + 1, name: Self.name(in: above, "<!-- snippet: ", " -->"),
          text: Self.unindented(lines[(first + 1)..<index])))
    }
  }

  /// Collects the marked parts of a test.
  private mutating func read(_ file: SourceFile) {
    var open: (name: String, line: Int)?
    for comment in file.comments {
      if let begun = open, comment.text == "end" {
        let text = Self.unindented(file.lines[begun.line..<(comment.line - 1)])
        parts.append(Piece(path: file.path, line: begun.line, name: begun.name, text: text))
        open = nil
      } else if let name = Self.name(in: comment.text[...], "snippet: ", "") {
        if let open { problems.append("\(file.path):\(open.line): \(open.name) has no end") }
        open = (name, comment.line)
      }
    }
    if let open { problems.append("\(file.path):\(open.line): \(open.name) has no end") }
  }

  private static func name(in line: Substring, _ before: String, _ behind: String) -> String? {
    guard line.hasPrefix(before), line.hasSuffix(behind) else { return nil }
    return String(line.dropFirst(before.count).dropLast(behind.count))
  }

  /// The lines without the indentation that all of them have.
  private static func unindented(_ lines: ArraySlice<Substring>) -> String {
    let widths = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
    let width = widths.min() ?? 0
    return lines.map { $0.dropFirst(width) }.joined(separator: "\n")
  }
}

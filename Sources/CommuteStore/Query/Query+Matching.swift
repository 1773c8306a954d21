import CommuteCore

/// How the words that a person typed are looked for.
public enum SearchStyle: Hashable, Sendable {
  /// Every word must be there.
  case allWords
  /// Every word must be there, or one that begins with it: what a search field wants.
  case beginnings
  /// One of the words must be there.
  case anyWord
  /// The words must stand one after another.
  case phrase
}

extension Query {
  /// Keeps only records in whose searched columns the words of a text are found, the best first.
  ///
  /// The table declares its ``Search``. Whatever the text holds, it is words and nothing else; one
  /// without any word finds nothing. An order of the query takes the place of the rank.
  public func matching(_ text: String, _ style: SearchStyle = .allWords) -> Self {
    let pattern = style.pattern(text)
    return changing {
      if Model.table.search == nil {
        $0.problem =
          $0.problem
          ?? "\(Model.table.name) declares no search; add Search() with the columns to its table"
      }
      if $0.search != nil {
        $0.problem = $0.problem ?? "a query of \(Model.table.name) takes one search"
      }
      if let pattern {
        $0.search = pattern
      } else {
        let nothing = RawCondition(constant: false)
        $0.filter = $0.filter.map { $0 && nothing } ?? nothing
      }
    }
  }
}

extension Record {
  /// The records in whose searched columns the words of a text are found, the best first.
  public static func matching(
    _ text: String, _ style: SearchStyle = .allWords
  ) -> Query<Self> {
    Query().matching(text, style)
  }
}

extension SearchStyle {
  /// What FTS5 is asked: every word in quotes, so that nothing in it is a sign of the language.
  func pattern(_ text: String) -> String? {
    let scalars = text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }
    let words = scalars.map { String($0) }
    if words.isEmpty { return nil }
    switch self {
    case .allWords: return words.map(Self.quoted).joined(separator: " ")
    case .beginnings: return words.map { Self.quoted($0) + " *" }.joined(separator: " ")
    case .anyWord: return words.map(Self.quoted).joined(separator: " OR ")
    case .phrase: return Self.quoted(words.joined(separator: " "))
    }
  }

  private static func quoted(_ word: String) -> String {
    // By scalars: a quote with an accent on it is still one to SQLite.
    let parts = word.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"" + parts.map { String($0) }.joined(separator: "\"\"") + "\""
  }
}

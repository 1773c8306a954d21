/// The words a book can be found by, put in order.
public enum Tags {
  /// The tags trimmed, each once, without empty ones; the first of two alike stays.
  ///
  /// A comma parts two tags: lists that other programs read have no other way to write them.
  public static func normalized(_ tags: [String]) -> [String] {
    var result: [String] = []
    for part in tags.flatMap({ $0.split(whereSeparator: { $0 == "," || $0.isNewline }) }) {
      let tag = trimmed(part)
      guard !tag.isEmpty, !result.contains(where: { isSame($0, tag) }) else { continue }
      result.append(tag)
    }
    return result
  }

  /// The tags with others added behind them.
  public static func adding(_ more: [String], to tags: [String]) -> [String] {
    normalized(tags + more)
  }

  /// The tags without some.
  public static func removing(_ less: [String], from tags: [String]) -> [String] {
    let less = normalized(less)
    return tags.filter { tag in !less.contains { isSame($0, tag) } }
  }

  /// Two tags are one if they have the same bytes.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// The words a rule gives for a person.
enum Reason {
  /// Makes one short line of them, whatever they are.
  ///
  /// Only as much is looked at as is kept: a rule may give a text of any length.
  static func line(_ words: String) -> String {
    var line = ""
    var count = 0
    for scalar in words.unicodeScalars {
      count += UTF8.width(scalar)
      guard count <= ServerRules.reasonLimit else { break }
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      line.unicodeScalars.append(isControl ? " " : scalar)
    }
    return line.allSatisfy { $0 == " " } ? "the server does not take this change" : line
  }
}

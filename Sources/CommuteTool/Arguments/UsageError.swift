/// Why a command line makes no sense.
enum UsageError: Error, Hashable, Sendable {
  /// No command has this name; the nearest ones that have.
  case unknownCommand(String, in: String?, near: [String])
  /// A group was named without a command of it.
  case missingCommand(String)
  /// The command has no such option; the nearest ones it has.
  case unknownOption(String, command: String, near: [String])
  /// The option needs a value.
  case missingValue(OptionSpec)
  /// The option was given an empty text, as from a variable that is not set.
  case emptyValue(String)
  /// The word is an empty text.
  case emptyArgument(String)
  /// A word of the command line is not UTF-8; its place, from 1.
  case notText(place: Int, seen: String)
  /// The option takes no value.
  case surplusValue(String)
  /// The option was given twice.
  case givenTwice(String)
  /// A word is missing.
  case missingArgument(String)
  /// A word too many.
  case surplusArgument(String, command: String)
  /// The value makes no sense.
  case badValue(option: String, value: String, expected: String)
  /// Something else, in a whole sentence.
  case other(String)
}

extension UsageError {
  /// What is wrong and what to do, in one line.
  var message: String {
    switch self {
    case .unknownCommand(let word, let group, let near):
      let all = group.map { "commute \($0) --help" } ?? "commute --help"
      return "\(group.map { "\($0) has" } ?? "there is") no command \(word); "
        + (near.isEmpty ? "`\(all)` lists them" : "did you mean \(Self.list(near))?")
    case .missingCommand(let group):
      return "\(group) needs a command; `commute \(group) --help` lists them"
    case .unknownOption(let option, let command, let near):
      return "\(command) has no option \(option); "
        + (near.isEmpty
          ? "`commute \(command) --help` lists them" : "did you mean \(Self.list(near))?")
    case .missingValue(let option):
      return "--\(option.name) needs a value; write --\(option.name) \(option.value ?? "VALUE")"
    case .emptyValue(let option):
      return "--\(option) is empty; give it a value, or leave it out"
    case .emptyArgument(let name): return "\(name) is empty; name a file"
    case .notText(let place, let seen):
      return "word \(place) of the command line is not UTF-8 (\(seen)); nothing was done,"
        + " write it in UTF-8"
    case .surplusValue(let option): return "--\(option) takes no value; write it alone"
    case .givenTwice(let option): return "--\(option) was given twice; give it once"
    case .missingArgument(let name): return "\(name) is missing; --help says what it is"
    case .surplusArgument(let word, let command):
      return "\(command) takes no further word, but got \(word); put words with blanks in quotes"
    case .badValue(let option, let value, let expected):
      return "--\(option) \(value): give \(expected)"
    case .other(let sentence): return sentence
    }
  }

  private static func list(_ words: [String]) -> String { words.joined(separator: " or ") }
}

/// Finds what was meant.
enum Suggestion {
  /// The candidates that lie nearest to a mistyped word, at most three.
  static func near(_ word: String, in candidates: [String]) -> [String] {
    let limit = max(1, word.count / 3)
    let ranked = candidates.map { (name: $0, distance: distance(word, $0)) }
      .filter { $0.distance <= limit || (word.count > 2 && $0.name.hasPrefix(word)) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
    guard let best = ranked.first?.distance else { return [] }
    return ranked.filter { $0.distance <= best + 1 }.prefix(3).map(\.name)
  }

  /// How many letters must be put in, taken out, changed or swapped with their neighbour.
  static func distance(_ one: String, _ other: String) -> Int {
    let left = Array(one)
    let right = Array(other)
    var rows = [Array(0...right.count)]
    for i in 0..<left.count {
      var row = [i + 1]
      for j in 0..<right.count {
        var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}

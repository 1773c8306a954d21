import Foundation

/// What was given to a command, by name.
struct Arguments: Hashable, Sendable {
  private var values: [String: [String]] = [:]
  private var flags: Set<String> = []
  private var words: [String: [String]] = [:]

  init() {}

  /// The value of an option; the last one where it was given more than once.
  func value(_ option: String) -> String? { values[option]?.last }

  /// All values of an option.
  func values(_ option: String) -> [String] { values[option] ?? [] }

  /// Whether an option without a value was given.
  func has(_ option: String) -> Bool { flags.contains(option) }

  /// The word at a place; nil where it was left out.
  func word(_ name: String) -> String? { words[name]?.first }

  /// All words from a place on.
  func words(_ name: String) -> [String] { words[name] ?? [] }

  /// The word at a place that cannot be left out; the reader has seen to that.
  func required(_ name: String) throws(UsageError) -> String {
    guard let word = word(name) else { throw .missingArgument(name) }
    return word
  }

  /// The value of an option that says nothing where it is empty.
  func filled(_ option: String) throws(UsageError) -> String? {
    guard let text = value(option) else { return nil }
    guard !text.isEmpty else { throw .emptyValue(option) }
    return text
  }

  /// The value of an option as a path that means the same from everywhere, since some are
  /// remembered.
  func path(_ option: String) throws(UsageError) -> String? {
    try filled(option).map { URL(filePath: $0).standardizedFileURL.path }
  }

  /// The word at a place that names a file.
  func file(_ name: String) throws(UsageError) -> String? {
    guard let word = word(name) else { return nil }
    guard !word.isEmpty else { throw .emptyArgument(name) }
    return word
  }

  /// The word at a place that names a file, as a path from the root.
  func filePath(_ name: String) throws(UsageError) -> String {
    guard let word = try file(name) else { throw .missingArgument(name) }
    return URL(filePath: word).standardizedFileURL.path
  }

  /// The value of an option as a whole number in a range.
  func number<Number: FixedWidthInteger>(
    _ option: String, in range: ClosedRange<Number>
  ) throws(UsageError) -> Number? {
    guard let text = value(option) else { return nil }
    guard let number = Number(text), range.contains(number) else {
      throw .badValue(
        option: option, value: text,
        expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The value of an option as one of a few words.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ option: String, of type: Choice.Type = Choice.self
  ) throws(UsageError) -> Choice? where Choice.RawValue == String {
    guard let text = value(option) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badValue(option: option, value: text, expected: "one of \(names)")
    }
    return choice
  }

  mutating func add(_ option: OptionSpec, value: String?) {
    if let value {
      values[option.name, default: []].append(value)
    } else {
      flags.insert(option.name)
    }
  }

  mutating func add(_ argument: ArgumentSpec, word: String) {
    words[argument.name, default: []].append(word)
  }
}

/// An option of a command, `--name` or `--name VALUE`.
struct OptionSpec: Hashable, Sendable {
  /// The name without its dashes.
  var name: String
  /// What the value is called in the help; nil for an option without one.
  var value: String?
  /// What it does, in a few words.
  var summary: String
  /// Whether it may be given several times.
  var repeats = false

  /// An option without a value.
  init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }

  /// An option with a value.
  init(_ name: String, _ value: String, repeats: Bool = false, _ summary: String) {
    self.name = name
    self.value = value
    self.summary = summary
    self.repeats = repeats
  }
}

/// A word that a command takes by its place.
struct ArgumentSpec: Hashable, Sendable {
  /// What it is called in the help.
  var name: String
  /// What it is, in a few words.
  var summary: String
  /// Whether it can be left out.
  var isOptional = false
  /// Whether more of them may follow.
  var repeats = false

  init(
    _ name: String, isOptional: Bool = false, repeats: Bool = false, _ summary: String
  ) {
    self.name = name
    self.summary = summary
    self.isOptional = isOptional
    self.repeats = repeats
  }
}

/// What a command is called, takes and does.
struct CommandSpec: Hashable, Sendable {
  /// The words that call it, as `["books", "add"]`.
  var words: [String]
  /// What it does, in one line.
  var summary: String
  /// More about it, a paragraph a line.
  var details: [String] = []
  /// The words it takes by their places.
  var arguments: [ArgumentSpec] = []
  /// Its options, beside those that every command has.
  var options: [OptionSpec] = []

  /// The options that every command has.
  static let common = [
    OptionSpec("json", "puts the result out as JSON, for programs"),
    OptionSpec("help", "says what the command does and takes"),
  ]

  /// All options.
  var allOptions: [OptionSpec] { options + Self.common }
}

/// Something the program can do.
protocol Command: Sendable {
  /// What it is called, takes and does.
  static var spec: CommandSpec { get }
  /// Whether it goes on until a signal ends it, and cleans up then.
  var endsBySignal: Bool { get }
  /// Takes what was given.
  init(_ arguments: Arguments) throws(UsageError)
  /// Does it.
  func run(_ output: Output) async throws(Failure) -> Report
}

extension Command {
  /// Most commands end by themselves.
  var endsBySignal: Bool { false }
}

/// Commands under one word, with options they share.
struct CommandGroup: Sendable {
  /// The word.
  var name: String
  /// What they are about, in one line.
  var summary: String
  /// More about them, a paragraph a line.
  var details: [String]
  /// Options that may stand before the command's own word, too.
  var options: [OptionSpec]
  /// The commands.
  var commands: [any Command.Type]
}

/// Reads a command line: which command is meant, and what it is given.
struct CommandLineReader: Sendable {
  /// What a command line asks for.
  enum Request: Sendable {
    /// Run a command.
    case run(any Command.Type, Arguments)
    /// Say what a command does and takes.
    case help(any Command.Type)
    /// Say what the commands of a group are.
    case groupHelp(CommandGroup)
    /// Say what the program can do.
    case programHelp
    /// Say which program this is.
    case version
  }

  /// What is understood of a line while it is read.
  private struct Reading {
    var group: CommandGroup?
    var command: (any Command.Type)?
    var wantsHelp = false
    var options: [(spec: OptionSpec, value: String?)] = []
    var words: [String] = []
  }

  let commands: [any Command.Type]
  let groups: [CommandGroup]

  /// Reads the words after the program's name.
  func read(_ line: [String]) throws(UsageError) -> Request {
    if line.first == "--version" { return .version }
    var reading = Reading()
    var index = 0
    var onlyWords = false
    while index < line.count {
      let token = line[index]
      index += 1
      if !onlyWords, token == "--" {
        onlyWords = true
      } else if !onlyWords, token.hasPrefix("-"), token.count > 1 {
        index = try readOption(token, of: line, next: index, into: &reading)
      } else {
        try readWord(token, into: &reading)
      }
    }
    return try finish(reading)
  }

  private func readWord(_ word: String, into reading: inout Reading) throws(UsageError) {
    if reading.command != nil {
      reading.words.append(word)
    } else if let group = reading.group {
      guard let command = group.commands.first(where: { $0.spec.words.last == word }) else {
        let names = group.commands.compactMap { $0.spec.words.last }
        throw .unknownCommand(word, in: group.name, near: Suggestion.near(word, in: names))
      }
      reading.command = command
    } else if let command = commands.first(where: { $0.spec.words == [word] }) {
      reading.command = command
    } else if let group = groups.first(where: { $0.name == word }) {
      reading.group = group
    } else if word == "help" {
      reading.wantsHelp = true
    } else {
      let names = commands.compactMap { $0.spec.words.last } + groups.map(\.name)
      throw .unknownCommand(word, in: nil, near: Suggestion.near(word, in: names))
    }
  }

  private func readOption(
    _ token: String, of line: [String], next: Int, into reading: inout Reading
  ) throws(UsageError) -> Int {
    if token == "-h" || token == "--help" {
      reading.wantsHelp = true
      return next
    }
    let parts = token.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0].dropFirst(2))
    let known = options(of: reading)
    guard token.hasPrefix("--"), let spec = known.first(where: { $0.name == name }) else {
      let names = known.map { "--\($0.name)" }
      throw .unknownOption(
        String(parts[0]), command: title(of: reading),
        near: Suggestion.near(String(parts[0]), in: names))
    }
    guard spec.repeats || !reading.options.contains(where: { $0.spec == spec }) else {
      throw .givenTwice(name)
    }
    guard spec.value != nil else {
      if parts.count == 2 { throw .surplusValue(name) }
      reading.options.append((spec, nil))
      return next
    }
    if parts.count == 2 {
      reading.options.append((spec, String(parts[1])))
      return next
    }
    guard next < line.count else { throw .missingValue(spec) }
    reading.options.append((spec, line[next]))
    return next + 1
  }

  private func options(of reading: Reading) -> [OptionSpec] {
    if let command = reading.command { return command.spec.allOptions }
    if let group = reading.group { return group.options + CommandSpec.common }
    return CommandSpec.common
  }

  private func title(of reading: Reading) -> String {
    reading.command?.spec.words.joined(separator: " ") ?? reading.group?.name ?? "commute"
  }

  private func finish(_ reading: Reading) throws(UsageError) -> Request {
    guard let command = reading.command else {
      guard let group = reading.group else {
        if let word = reading.options.first {
          throw .other("--\(word.spec.name) needs a command; `commute --help` lists them")
        }
        return .programHelp
      }
      if reading.wantsHelp { return .groupHelp(group) }
      throw .missingCommand(group.name)
    }
    if reading.wantsHelp { return .help(command) }
    var arguments = Arguments()
    for option in reading.options { arguments.add(option.spec, value: option.value) }
    try place(reading.words, of: command.spec, in: &arguments)
    return .run(command, arguments)
  }

  private func place(
    _ words: [String], of spec: CommandSpec, in arguments: inout Arguments
  ) throws(UsageError) {
    var rest = words[...]
    for argument in spec.arguments {
      guard let word = rest.popFirst() else {
        if argument.isOptional { break }
        throw .missingArgument(argument.name)
      }
      arguments.add(argument, word: word)
      guard argument.repeats else { continue }
      while let more = rest.popFirst() { arguments.add(argument, word: more) }
    }
    if let surplus = rest.first {
      throw .surplusArgument(surplus, command: spec.words.joined(separator: " "))
    }
  }
}

/// What the program says about itself.
enum HelpText {
  /// The whole program.
  static func program(_ reader: CommandLineReader) -> [String] {
    var table = TextTable(["", ""], widthLimit: 90)
    for command in reader.commands {
      table.rows.append(["  " + command.spec.words.joined(separator: " "), command.spec.summary])
    }
    for group in reader.groups { table.rows.append(["  \(group.name) …", group.summary]) }
    return [
      "Commute: what you did on a device is never lost silently, and all devices end up agreeing.",
      "", "usage: commute COMMAND [OPTIONS]", "",
    ] + table.plain + [
      "", "`commute COMMAND --help` says more; `commute --version` says which version this is.",
      "",
      "It ends with 0: done · 1: refused, or a check failed · 2: the command line makes no sense",
      "3: the server was not reached, the work is kept · 4: the database or the disk failed",
    ]
  }

  /// A group of commands.
  static func group(_ group: CommandGroup) -> [String] {
    var table = TextTable(["", ""], widthLimit: 90)
    for command in group.commands {
      table.rows.append(["  " + usage(of: command.spec, from: 1), command.spec.summary])
    }
    return [group.summary, "", "usage: commute \(group.name) [OPTIONS] COMMAND …", ""]
      + table.plain + details(group.details) + ["", "Options of all of them:"]
      + options(group.options + CommandSpec.common)
  }

  /// One command.
  static func command(_ spec: CommandSpec) -> [String] {
    var lines = [spec.summary, "", "usage: commute \(usage(of: spec, from: 0)) [OPTIONS]"]
    if !spec.arguments.isEmpty {
      var table = TextTable(["", ""], widthLimit: 90)
      for argument in spec.arguments {
        table.rows.append(["  " + argument.name, argument.summary])
      }
      lines += [""] + table.plain
    }
    return lines + details(spec.details) + ["", "Options:"] + options(spec.allOptions)
  }

  private static func usage(of spec: CommandSpec, from start: Int) -> String {
    let arguments = spec.arguments.map { argument in
      let name = argument.name + (argument.repeats ? " …" : "")
      return argument.isOptional ? "[\(name)]" : name
    }
    return (spec.words.dropFirst(start) + arguments).joined(separator: " ")
  }

  private static func details(_ details: [String]) -> [String] {
    details.isEmpty ? [] : [""] + details
  }

  private static func options(_ options: [OptionSpec]) -> [String] {
    var table = TextTable(["", ""], widthLimit: 90)
    for option in options {
      table.rows.append([
        "  --\(option.name)" + (option.value.map { " \($0)" } ?? ""),
        option.summary + (option.repeats ? " (may be given again)" : ""),
      ])
    }
    return table.plain
  }
}

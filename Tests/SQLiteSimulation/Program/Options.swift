import Foundation

/// What the command line asks for.
struct Options: Equatable, Sendable {
  /// What the program does.
  enum Mode: Equatable, Sendable {
    /// Plays histories in several processes, and lets the planted build hunt where one is named.
    case simulate
    /// Plays every so many-th history; what `simulate` starts.
    case work
    /// Plants one bug after the other; only a planted build can.
    case hunt
    /// Plays one history and tells it.
    case replay(seed: UInt64)
    case help
  }

  var mode: Mode = .simulate
  var histories = 2_000
  var seed: UInt64 = 1
  /// How many processes play, and hunt: one more than can, for each waits now and then.
  var jobs = ProcessInfo.processInfo.activeProcessorCount + 1
  /// With `hunt`: which of the processes this one is; it hunts every so many-th bug.
  var share = 0
  var planted: String?
  /// The only planted bug to hunt.
  var quarry: String?
  /// How many histories a planted bug may survive.
  var patience = 3_000
  var isJSON = false

  /// A command line that cannot be carried out.
  struct Refusal: Error {
    var message: String
  }

  static let help = """
    usage: SQLiteSimulator [--histories N] [--seed S] [--jobs J] [--planted PROGRAM] [--json]
           SQLiteSimulator --replay SEED

    Plays seeded histories of devices whose stores are real, on files that fail, with a server and
    a faulty network between them. After every end of a process the file is looked over, and in the
    end nothing that was kept is lost, nothing is doubled, and all agree.

      --histories N      how many histories, 2000 by default
      --seed S           the first seed, 1 by default; the others follow it
      --jobs J           how many processes play, one more than there are cores by default
      --planted PROGRAM  the same program built with -D PLANTED: it plants one bug after the other,
                         and each must be caught
      --replay SEED      plays one history again and tells what happens in it
      --json             one JSON object instead of lines
      --hunt             what --planted runs in the other program: every J-th bug, begun with
                         that of the number that --share names
      --patience N       with --hunt: how many histories a bug may survive, 3000 by default
      --only NAME        with --hunt or --replay in a planted build: this bug alone
      --work             plays every J-th history from S on and prints a row for each
    """

  init() {}

  /// Reads the arguments that follow the program's name.
  init(_ arguments: [String]) throws(Refusal) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--histories": histories = try Self.number(&rest, after: name)
      case "--seed": seed = UInt64(try Self.number(&rest, after: name))
      case "--jobs": jobs = max(1, try Self.number(&rest, after: name))
      case "--replay": mode = .replay(seed: UInt64(try Self.number(&rest, after: name)))
      case "--planted": planted = try Self.text(&rest, after: name)
      case "--share": share = try Self.number(&rest, after: name)
      case "--patience": patience = try Self.number(&rest, after: name)
      case "--only": quarry = try Self.text(&rest, after: name)
      case "--json": isJSON = true
      case "--hunt": mode = .hunt
      case "--work": mode = .work
      case "--help", "-h": mode = .help
      default:
        throw Refusal(message: "no such option: \(name); --help lists them")
      }
    }
  }

  private static func text(
    _ rest: inout ArraySlice<String>, after name: String
  ) throws(Refusal) -> String {
    guard let value = rest.popFirst() else {
      throw Refusal(message: "\(name) wants a value; --help says which")
    }
    return value
  }

  private static func number(
    _ rest: inout ArraySlice<String>, after name: String
  ) throws(Refusal) -> Int {
    let value = try text(&rest, after: name)
    guard let number = Int(value), number >= 0 else {
      throw Refusal(message: "\(name) wants a number from 0, not '\(value)'")
    }
    return number
  }
}

/// What the command line asks for.
struct Options {
  /// What the program does.
  enum Mode: Equatable {
    /// Plays histories, and hunts planted bugs where a planted build is named.
    case simulate
    /// Hunts planted bugs; only a planted build can.
    case hunt
    /// Plays one history again.
    case replay(seed: UInt64)
    /// Says how the program is used.
    case help
  }

  var mode: Mode = .simulate
  var histories = 20_000
  var seed: UInt64 = 1
  /// The program of the planted build.
  var planted: String?
  /// The only planted bug to hunt.
  var quarry: String?
  /// How many histories a planted bug may survive.
  var patience = 60_000
  /// Whether a replay tells its story.
  var tellsStory = false
  /// Whether the report is one JSON object.
  var isJSON = false

  /// A command line that cannot be carried out.
  struct Refusal: Error {
    var message: String
  }

  static let help = """
    usage: CommuteSimulator [--histories N] [--seed S] [--planted PROGRAM] [--json]
           CommuteSimulator --replay SEED [--trace]

    Plays seeded histories of devices, a server and a faulty network, and checks the promises of
    Documentation/Semantics.md after every step and at rest.

      --histories N      how many histories, 20000 by default; every class of faults must be met
                         in 500, every situation in 10000
      --seed S           the first seed, 1 by default; the others follow it
      --planted PROGRAM  the same program built with -D PLANTED: it plants one bug after the other,
                         and each must be caught
      --replay SEED      plays one history again and makes it shorter if it breaks a promise
      --trace            tells what happens in it
      --json             one JSON object instead of lines
      --hunt             what --planted runs in the other program
      --patience N       with --hunt: how many histories a bug may survive, 60000 by default
      --only NAME        with --hunt: this bug alone, with its story
    """

  init() {}

  /// Reads the arguments that follow the program's name.
  init(_ arguments: [String]) throws(Refusal) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--histories": histories = try Self.number(&rest, after: name)
      case "--seed": seed = UInt64(try Self.number(&rest, after: name))
      case "--replay": mode = .replay(seed: UInt64(try Self.number(&rest, after: name)))
      case "--planted": planted = try Self.text(&rest, after: name)
      case "--patience": patience = try Self.number(&rest, after: name)
      case "--only": quarry = try Self.text(&rest, after: name)
      case "--trace": tellsStory = true
      case "--json": isJSON = true
      case "--hunt": mode = .hunt
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

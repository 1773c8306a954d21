/// What the command line asks for.
struct Options: Sendable {
  /// The defence to do without; nil to tell the stories as they are.
  var without: Defence?
  /// Whether the report is one JSON object.
  var isJSON = false
  /// Whether only the help is wanted.
  var wantsHelp = false

  static let help = """
    usage: StoryRunner [--break DEFENCE] [--json]

    Tells all stories of two devices and a server, each with a naive design and with ours:
    the same steps, real processes, files and sockets, and in the end SQL that reads all files.

      --break DEFENCE  does without one defence: clock, merge, tombstone, dedupe, restamping,
                       fence, or offers; only a build made by `make stories BREAK=DEFENCE` can
      --json           one JSON object instead of a table

    It ends with 0 where every story is lost by the naive design and none by ours, with 1 where
    ours lost something, with 2 where the naive design did not lose what it is said to lose, and
    with 3 where a story could not be told.
    """

  init() {}

  /// Reads the arguments that follow the program's name.
  init(_ arguments: [String]) throws(StoryError) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--break":
        let known = Defence.allCases.map(\.rawValue).joined(separator: ", ")
        guard let value = rest.popFirst() else {
          throw StoryError("--break wants one of \(known)")
        }
        guard let defence = Defence(rawValue: value) else {
          throw StoryError("there is no defence '\(value)' to break; there are \(known)")
        }
        without = defence
      case "--json": isJSON = true
      case "--help", "-h": wantsHelp = true
      default: throw StoryError("no such option: \(name); --help lists them")
      }
    }
  }
}

/// How the program ended, for scripts.
enum ExitCode: Int32, Sendable {
  /// Everything asked for was done.
  case done = 0
  /// It was refused, or a check found something wrong.
  case refused = 1
  /// The command line made no sense; nothing was touched.
  case usage = 2
  /// The server was not reached; the work is done and kept here.
  case notReached = 3
  /// The database or the disk did not do its part.
  case storage = 4
}

/// Why a command did not do what it was asked: the code for scripts and one line for people.
struct Failure: Error, Sendable {
  var code: ExitCode
  var message: String
  /// What else is worth seeing, such as the books that could be meant.
  var lines: [String] = []
  var json: JSON?

  init(_ code: ExitCode, _ message: String, lines: [String] = [], json: JSON? = nil) {
    self.code = code
    self.message = message
    self.lines = lines
    self.json = json
  }
}

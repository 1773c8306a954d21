import Foundation

/// Everything that the program says; nothing else prints.
struct Output: Sendable {
  /// Whether a person watches, who sees colours.
  let isTerminal: Bool

  init() {
    isTerminal = isatty(STDOUT_FILENO) == 1
  }

  /// Says a line.
  func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Says what went wrong.
  func complain(_ line: String) {
    FileHandle.standardError.write(Data(("stories: " + line + "\n").utf8))
  }
}

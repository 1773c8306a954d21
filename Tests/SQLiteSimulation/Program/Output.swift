import Foundation

/// Everything that the program says; nothing else prints.
struct Output: Sendable {
  /// Whether somebody watches the progress.
  let isWatched = isatty(2) == 1

  /// Says a line of the report.
  func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Shows how far it has come, in one line that is written over and over.
  func progress(_ text: String) {
    guard isWatched else { return }
    complain("\r\u{1B}[K" + text, terminator: "")
  }

  /// Says what went wrong.
  func complain(_ text: String, terminator: String = "\n") {
    FileHandle.standardError.write(Data((text + terminator).utf8))
  }
}

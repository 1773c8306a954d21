import Foundation

/// Everything that the runner says; nothing else prints.
struct CrashOutput {
  /// Whether somebody watches the progress.
  let isWatched: Bool

  init() {
    isWatched = isatty(2) == 1
  }

  /// Says a line of the report.
  func say(_ line: String) {
    print(line)
  }

  /// Shows how far it has come, in one line that is written over and over.
  func progress(_ text: String) {
    if isWatched { write("\r\u{1B}[K" + text) }
  }

  /// Says what went wrong.
  func complain(_ text: String) {
    progress("")
    write(text + "\n")
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}

import Foundation

/// Everything that the program says; nothing else prints.
struct Output {
  /// Whether somebody watches the progress.
  let isWatched: Bool

  init() {
    isWatched = isatty(2) == 1
  }

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

  /// Takes the line of progress away.
  func endProgress() {
    progress("")
  }

  /// Says what went wrong.
  func complain(_ text: String, terminator: String = "\n") {
    FileHandle.standardError.write(Data((text + terminator).utf8))
  }

  /// The processor time that this process took, in seconds.
  static func processorTime() -> Double {
    Double(clock()) / Double(CLOCKS_PER_SEC)
  }
}

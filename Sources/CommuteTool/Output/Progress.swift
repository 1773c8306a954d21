import Foundation
import Synchronization

/// Tells how far a long piece of work is, once a second at most.
///
/// People see it beside the output and only on a terminal; programs get a line of JSON each time.
final class Progress: Sendable {
  private let output: Output
  private let last = Mutex(ContinuousClock.now)

  init(_ output: Output) {
    self.output = output
  }

  /// Says what begins.
  func begin(_ line: String) {
    if !output.isJSON, isatty(STDERR_FILENO) == 1 { output.note("\(line) …") }
  }

  /// Says how far it is, if a second has passed since it was said last.
  func tell(_ line: String, _ members: [JSON.Member]) {
    let now = ContinuousClock.now
    let isDue = last.withLock { last in
      guard now - last >= .seconds(1) else { return false }
      last = now
      return true
    }
    guard isDue else { return }
    begin(line)
    output.tell(.object([JSON.Member(name: "event", value: "progress")] + members))
  }
}

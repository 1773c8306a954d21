import Foundation
import Synchronization

/// What a child tells its parent: lines through a pipe, each of them whole.
final class Reporter: Sendable {
  private let pipe: Mutex<Int32>

  init() {
    pipe = Mutex(STDOUT_FILENO)
  }

  /// Tells a line; when the call returns, it is in the pipe, whatever becomes of this process.
  func tell(_ line: String) {
    var bytes = Array((line + "\n").utf8)[...]
    pipe.withLock { pipe in
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
        // Without its parent a child has nothing to live for.
        if count < 0, errno != EINTR { _exit(1) }
        bytes = bytes.dropFirst(max(0, count))
      }
    }
  }
}

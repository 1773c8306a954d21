import Foundation
import Synchronization

/// The signals that ask a program to end.
///
/// A handler writes the signal's number into a pipe, which is all that a handler may do; a thread
/// reads it there. Programs that this one runs do not inherit handlers.
enum Signals {
  /// What Ctrl-C and service managers send.
  static let ending: [Int32] = [SIGINT, SIGTERM]
  /// What asks a server to read its tokens anew, and is sent when a terminal goes away.
  static let reload = SIGHUP

  /// The end of the pipe that is read; -1 before ``hold(_:)``.
  private static let readEnd = Atomic<Int32>(-1)
  /// The end of the pipe that the handler writes to.
  private static let writeEnd = Atomic<Int32>(-1)

  /// Makes a write into a closed pipe an error of the write, and not the end of the process.
  static func ignoreClosedPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Keeps signals from ending the process; ``coming()`` tells of them from then on.
  static func hold(_ signals: [Int32]) {
    var ends: [Int32] = [-1, -1]
    guard writeEnd.load(ordering: .relaxed) < 0, pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    readEnd.store(ends[0], ordering: .relaxed)
    writeEnd.store(ends[1], ordering: .relaxed)
    for number in signals {
      signal(number) { number in
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(Signals.writeEnd.load(ordering: .relaxed), &byte, 1)
        errno = saved
      }
    }
  }

  /// The signals that come, as long as the process lives; only one may ask.
  static func coming() -> AsyncStream<Int32> {
    let end = readEnd.load(ordering: .relaxed)
    return AsyncStream { stream in
      Thread {
        var byte: UInt8 = 0
        while true {
          let count = read(end, &byte, 1)
          if count == 1 { stream.yield(Int32(byte)) }
          if count == 0 || count < 0 && errno != EINTR { return }
        }
      }.start()
    }
  }

  /// Waits for any of them; a terminal that goes away asks to end, too.
  static func untilEnding() async {
    for await _ in coming() { return }
  }
}

import Foundation

/// The line from the parent: what it says, and when it is gone.
enum ParentLine {
  /// Reads the standard input on a thread of its own.
  ///
  /// Its end means that the parent has ended, however that came, and ends the process.
  static func listen(_ hear: @escaping @Sendable (String) -> Void = { _ in }) {
    Thread {
      var line: [UInt8] = []
      var bytes = [UInt8](repeating: 0, count: 512)
      while true {
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { _exit(1) }
        for byte in bytes[..<count] {
          guard byte == UInt8(ascii: "\n") else {
            line.append(byte)
            continue
          }
          hear(String(decoding: line, as: UTF8.self))
          line = []
        }
      }
    }.start()
  }
}

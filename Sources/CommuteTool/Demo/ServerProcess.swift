import Foundation

/// A server that runs as a process of its own, and never longer than this one.
struct ServerProcess: Sendable {
  /// Where it listens.
  let port: UInt16
  private let identifier: Int32
  private let ended: ExitNotice
  /// While it is open, the server runs; it closes by itself when this process dies, in any way.
  private let lifeline: FileHandle

  /// Starts a server on a free port and waits until it listens.
  static func start(_ child: ChildProcess) async throws(Failure) -> ServerProcess {
    let process = child.makeProcess()
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.standardError
    let ended = ExitNotice()
    process.terminationHandler = { ended.note($0.terminationStatus) }
    try child.start(process)
    let identifier = process.processIdentifier
    guard let port = await port(saidBy: output.fileHandleForReading) else {
      kill(identifier, SIGKILL)
      throw Failure(.refused, "the server did not start; see above why")
    }
    return ServerProcess(
      port: port, identifier: identifier, ended: ended, lifeline: input.fileHandleForWriting)
  }

  /// Asks the server to end, and makes it where it does not.
  ///
  /// - Returns: The code it ended with.
  func stop() async -> Int32 {
    kill(identifier, SIGTERM)
    let impatience = Task {
      if (try? await Task.sleep(for: .seconds(15))) != nil { kill(identifier, SIGKILL) }
    }
    let code = await ended.code()
    impatience.cancel()
    try? lifeline.close()
    return code
  }

  /// The port in the server's first line, `listening on http://127.0.0.1:PORT`.
  private static func port(saidBy output: FileHandle) async -> UInt16? {
    await withCheckedContinuation { continuation in
      Thread {
        var line: [UInt8] = []
        while let byte = (try? output.read(upToCount: 1))?.first, byte != 0x0A { line.append(byte) }
        let digits = line.reversed().prefix { (0x30...0x39).contains($0) }.reversed()
        continuation.resume(returning: UInt16(String(decoding: digits, as: UTF8.self)))
        // What it says later must not fill the pipe.
        while !output.availableData.isEmpty {}
      }.start()
    }
  }
}

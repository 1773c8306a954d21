import Foundation

/// `commute serve` as a process of its own, which ends with this one whatever happens.
final class ServerProcess: Sendable {
  /// The port that it listens at.
  let port: UInt16
  private let process: Process
  /// The server ends when this closes, and it closes with this process.
  private let lifeline: Pipe
  private let ended: AsyncStream<Int32>

  /// Starts the program and waits until it says that it listens.
  ///
  /// - Throws: ``StoryError`` where it does not start.
  init(_ program: String, _ words: [String], environment: [String: String]) async throws {
    process = Process()
    lifeline = Pipe()
    let (ended, speaker) = AsyncStream.makeStream(of: Int32.self)
    self.ended = ended
    process.executableURL = URL(filePath: program)
    process.arguments = words
    process.environment = environment
    process.standardInput = lifeline
    let output = Pipe()
    process.standardOutput = output
    process.terminationHandler = { process in
      speaker.yield(process.terminationStatus)
      speaker.finish()
    }
    do {
      try process.run()
    } catch {
      throw StoryError("\(program) cannot be started (\(error)); build it first")
    }
    guard let port = await Self.port(saidBy: output.fileHandleForReading) else {
      process.terminate()
      throw StoryError("\(program) serve did not say where it listens")
    }
    self.port = port
  }

  /// Ends it after the requests that are under way.
  func end() async throws {
    process.terminate()
    for await status in ended where status != 0 {
      throw StoryError("commute serve ended with \(status) instead of 0")
    }
    try? lifeline.fileHandleForWriting.close()
  }

  /// Reads what the server prints until it names its port; nil if it ends before.
  private static func port(saidBy output: FileHandle) async -> UInt16? {
    await withCheckedContinuation { continuation in
      Thread {
        var text = ""
        var port: UInt16?
        while port == nil {
          let data = output.availableData
          if data.isEmpty { break }
          text += String(decoding: data, as: UTF8.self)
          port = Self.port(in: text)
        }
        continuation.resume(returning: port)
        // What it says later must not fill the pipe.
        while !output.availableData.isEmpty {}
      }.start()
    }
  }

  /// The port in the first whole line `listening on http://HOST:PORT`.
  static func port(in text: String) -> UInt16? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    guard let line = lines.first(where: { $0.hasPrefix("listening on ") }),
      let digits = line.split(separator: ":").last
    else { return nil }
    return UInt16(digits)
  }
}

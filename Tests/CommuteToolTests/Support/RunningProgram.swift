import Foundation
import Synchronization

@testable import CommuteTool

/// A program that runs beside the test, and its lines as they come.
final class RunningProgram: Sendable {
  /// Its number.
  let identifier: Int32
  private let ended: ExitNotice
  private let lines: Mutex<[String]> = Mutex([])
  private let news: AsyncStream<Void>
  private let speaker: AsyncStream<Void>.Continuation
  /// Its standard input; it ends with this object.
  private let input: FileHandle
  /// The end of what it, and whoever inherits from it, complains.
  private let complaints: Task<String, Never>

  private init(_ process: Process, _ child: ChildProcess) throws {
    let input = Pipe()
    let output = Pipe()
    let complaint = Pipe()
    let ended = ExitNotice()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = complaint
    process.terminationHandler = { ended.note($0.terminationStatus) }
    try child.start(process)
    identifier = process.processIdentifier
    self.ended = ended
    self.input = input.fileHandleForWriting
    (news, speaker) = AsyncStream.makeStream(of: Void.self)
    let reading = complaint.fileHandleForReading
    complaints = Task {
      await withCheckedContinuation { continuation in
        Thread {
          let data = (try? reading.readToEnd()) ?? Data()
          continuation.resume(returning: String(decoding: data, as: UTF8.self))
        }.start()
      }
    }
    listen(to: output.fileHandleForReading)
  }

  deinit {
    kill(identifier, SIGKILL)
  }

  /// Starts a program; one that serves is waited for until it listens.
  static func start(_ child: ChildProcess) async throws -> RunningProgram {
    let running = try RunningProgram(child.makeProcess(), child)
    if child.arguments.first == "serve" {
      _ = try await running.line { $0.hasPrefix("listening on ") }
    }
    return running
  }

  /// Where a server listens.
  func url() async throws -> String {
    let line = try await line { $0.hasPrefix("listening on ") }
    return String(line.dropFirst("listening on ".count))
  }

  /// Waits for a line that it says, or has said.
  func line(where isRight: (String) -> Bool) async throws -> String {
    if let line = said.first(where: isRight) { return line }
    for await _ in news {
      if let line = said.first(where: isRight) { return line }
    }
    let complaint = await complaints.value
    throw BenchError(message: "it ended without saying so: \(complaint)")
  }

  /// Sends a signal and waits for the end.
  ///
  /// - Returns: The code it ended with.
  func end(by signal: Int32 = SIGTERM) async -> Int32 {
    kill(identifier, signal)
    return await ended.code()
  }

  /// What was complained, once nobody is left who could.
  func complaint() async -> String { await complaints.value }

  /// What it has said so far.
  var said: [String] { lines.withLock { $0 } }

  private func listen(to output: FileHandle) {
    let speaker = speaker
    Thread { [weak self] in
      var rest: [UInt8] = []
      while case let bytes = output.availableData, !bytes.isEmpty {
        rest += bytes
        while let end = rest.firstIndex(of: 0x0A) {
          let line = String(decoding: rest[..<end], as: UTF8.self)
          rest.removeSubrange(...end)
          self?.lines.withLock { $0.append(line) }
        }
        speaker.yield()
      }
      speaker.finish()
    }.start()
  }
}

import Foundation
import Synchronization

/// A program that this one runs.
struct ChildProcess: Sendable {
  /// How a program ended, and what it said.
  struct Outcome: Sendable {
    var code: Int32
    var output: String
    var complaint: String
  }

  /// The program's path.
  var program: String
  /// What it is given.
  var arguments: [String]
  /// What is added to its environment.
  var environment: [String: String] = [:]

  /// Runs the program to its end; a cancelled task ends it.
  func run() async throws(Failure) -> Outcome {
    let process = makeProcess()
    let output = Pipe()
    let complaint = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = complaint
    let ended = ExitNotice()
    process.terminationHandler = { ended.note($0.terminationStatus) }
    try start(process)
    let identifier = process.processIdentifier
    return await withTaskCancellationHandler {
      async let said = Self.text(of: output.fileHandleForReading)
      async let complained = Self.text(of: complaint.fileHandleForReading)
      let (words, complaints) = await (said, complained)
      return Outcome(code: await ended.code(), output: words, complaint: complaints)
    } onCancel: {
      kill(identifier, SIGTERM)
    }
  }

  /// A process that is not started yet.
  func makeProcess() -> Process {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    return process
  }

  /// Starts a process.
  func start(_ process: Process) throws(Failure) {
    // Threads of Dispatch hold all signals back, and a child that inherits that cannot be ended.
    var none = sigset_t()
    var held = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &held)
    defer { pthread_sigmask(SIG_SETMASK, &held, nil) }
    do {
      try process.run()
    } catch {
      throw Failure(.refused, "\(program) cannot be run; check that it is there and may be run")
    }
  }

  /// Reads to the end on a thread of its own, which may wait as long as it likes.
  private static func text(of handle: FileHandle) async -> String {
    await withCheckedContinuation { continuation in
      Thread {
        let data = (try? handle.readToEnd()) ?? Data()
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }.start()
    }
  }

  /// The path of a program by its name, as a shell would find it.
  static func path(of name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
      .split(separator: ":")
    return folders.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// Tells those who wait that a process has ended.
final class ExitNotice: Sendable {
  private struct State {
    var code: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  private let state = Mutex(State())

  /// Takes note of the end.
  func note(_ code: Int32) {
    let waiting = state.withLock { state in
      state.code = code
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: code) }
  }

  /// The code it ended with; waits until it has.
  func code() async -> Int32 {
    await withCheckedContinuation { continuation in
      let code = state.withLock { state in
        if state.code == nil { state.waiting.append(continuation) }
        return state.code
      }
      if let code { continuation.resume(returning: code) }
    }
  }
}

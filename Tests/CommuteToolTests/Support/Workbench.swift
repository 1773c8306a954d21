import Foundation

@testable import CommuteTool

/// A folder of its own and the real program, as a person runs it there.
final class Workbench: Sendable {
  /// The folder; it goes when the bench goes.
  let folder: String

  init() throws {
    folder =
      FileManager.default.temporaryDirectory
      .appending(path: "commute-tool-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The program that was built with these tests.
  static var program: String {
    var folder = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? URL(filePath: "/")
    repeat {
      folder.deleteLastPathComponent()
      let program = folder.appending(path: "commute").path
      if FileManager.default.isExecutableFile(atPath: program) { return program }
    } while folder.path != "/"
    return "commute"
  }

  /// Where the checkout is.
  static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "../../..").standardized.path

  /// The folder of a device.
  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Runs the program to its end.
  func run(_ words: String...) async throws -> ChildProcess.Outcome {
    try await run(words)
  }

  /// Runs a command of the reading list on a device.
  func books(_ device: String, _ words: String...) async throws -> ChildProcess.Outcome {
    try await run(["books"] + words + ["--device", path(device)])
  }

  /// Runs a command of the reading list on a device.
  func books(_ device: String, _ words: [String]) async throws -> ChildProcess.Outcome {
    try await run(["books"] + words + ["--device", path(device)])
  }

  /// Runs any command.
  func command(_ words: [String]) async throws -> ChildProcess.Outcome {
    try await run(words)
  }

  private func run(_ words: [String]) async throws -> ChildProcess.Outcome {
    try await ChildProcess(
      program: Self.program, arguments: words, environment: environment
    ).run()
  }

  /// What keeps the program away from the home of whoever runs the tests.
  var environment: [String: String] {
    [
      "XDG_STATE_HOME": path("state"), "XDG_DATA_HOME": path("data"), "HOME": folder,
      "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  /// Asks a database by the `sqlite3` program.
  func ask(_ database: String, _ sql: String) async throws -> String {
    let program = try ChildProcess.path(of: "sqlite3").orThrow("sqlite3 is not installed")
    let outcome = try await ChildProcess(
      program: program, arguments: ["-readonly", "-batch", path(database), sql]
    ).run()
    if outcome.code != 0 { throw BenchError(message: outcome.complaint) }
    return outcome.output.split(separator: "\n").joined(separator: "\n")
  }

  /// Changes a database by the `sqlite3` program.
  func change(_ database: String, _ sql: String) async throws {
    let program = try ChildProcess.path(of: "sqlite3").orThrow("sqlite3 is not installed")
    let outcome = try await ChildProcess(
      program: program, arguments: ["-batch", path(database), sql]
    ).run()
    if outcome.code != 0 { throw BenchError(message: outcome.complaint) }
  }

  /// Starts the server of this bench on a free port.
  func serve(_ options: String...) async throws -> RunningProgram {
    try await serve(options, [:])
  }

  /// Starts the server with more in its environment than a bench's programs have.
  func serve(_ options: [String], _ variables: [String: String]) async throws -> RunningProgram {
    try await RunningProgram.start(
      ChildProcess(
        program: Self.program,
        arguments: ["serve", "--port", "0", "--db", path("server.db")] + options,
        environment: environment.merging(variables) { $1 }))
  }
}

/// Why a test could not be set up.
struct BenchError: Error {
  var message: String
}

extension Optional {
  /// The value, or an error that says what is missing.
  func orThrow(_ message: String) throws -> Wrapped {
    guard let self else { throw BenchError(message: message) }
    return self
  }
}

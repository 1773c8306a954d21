import Foundation

/// The program `commute` as a story's server, and as what its owner cares for it with.
actor ProgramServer: StoryServer {
  /// The environment variable by which the program's clock is ahead, in milliseconds.
  private static let clockAhead = "COMMUTE_CLOCK_AHEAD"

  nonisolated let port: UInt16
  nonisolated let database: String
  private let program: String
  private let setting: ServerSetting
  private let defence: Defence?
  private var process: ServerProcess

  /// Starts a server on a free port.
  ///
  /// - Parameters:
  ///   - program: The path of `commute`.
  ///   - setting: Where its files are, and who may come in.
  ///   - defence: The defence that a planted build is to do without.
  /// - Throws: ``StoryError`` where it does not start.
  init(program: String, setting: ServerSetting, without defence: Defence?) async throws {
    self.program = program
    self.setting = setting
    self.defence = defence
    database = setting.database
    process = try await Self.serve(program, setting, port: 0, without: defence)
    port = process.port
  }

  func end() async throws {
    try await process.end()
  }

  func catchUp() async throws {
    try await process.end()
    try await serveAgain()
  }

  func perform(_ care: ServerCare) async throws {
    switch care {
    case .backUp: try run("backup", setting.backup)
    case .purge: try run("purge")
    case .restore:
      try await process.end()
      try run("restore", setting.backup)
      try await serveAgain()
    }
  }

  private func run(_ words: String...) throws {
    _ = try Subprocess.output(
      of: [program, "server"] + words + ["--database", database],
      environment: Self.environment(setting, without: defence))
  }

  /// Serves at the same port, with the clock of the story as it is now.
  private func serveAgain() async throws {
    process = try await Self.serve(program, setting, port: port, without: defence)
  }

  private static func serve(
    _ program: String, _ setting: ServerSetting, port: UInt16, without defence: Defence?
  ) async throws -> ServerProcess {
    let words = ["serve", "--db", setting.database, "--port", "\(port)", "--with-input"]
    return try await ServerProcess(
      program, words + (setting.tokenFile.map { ["--tokens", $0] } ?? []),
      environment: environment(setting, without: defence))
  }

  private static func environment(
    _ setting: ServerSetting, without defence: Defence?
  ) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    environment[Defence.variable] = defence?.planted
    let days = setting.time.days
    environment[clockAhead] = days == 0 ? nil : "\(days * 86_400_000)"
    return environment
  }
}

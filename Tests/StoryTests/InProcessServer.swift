import CommuteFeatures
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite

@testable import StoryRunner

/// The server of a story in the test's own process: the same sockets and the same file, but its
/// clock is the story's.
actor InProcessServer: StoryServer {
  nonisolated let port: UInt16
  nonisolated let database: String
  private let setting: ServerSetting
  private var server: Server

  init(_ setting: ServerSetting) async throws {
    self.setting = setting
    database = setting.database
    (server, port) = try await Self.start(setting, port: 0)
  }

  private static func start(
    _ setting: ServerSetting, port: UInt16
  ) async throws -> (Server, UInt16) {
    let rules = ServerRules(try ReadingList.schema())
    let time = setting.time
    let store = try await ServerSQLiteStore.open(setting.database, rules: rules, time: time.now)
    var settings = ServerSettings()
    settings.http.port = port
    settings.tokenFile = setting.tokenFile
    settings.wall = { time.now }
    let server = try Server(store: store, settings: settings)
    return (server, try await server.start().port)
  }

  func end() async {
    await server.drain()
  }

  func catchUp() {}

  func perform(_ care: ServerCare) async throws {
    let files = ServerDatabase(database)
    switch care {
    case .backUp: try await files.backup(to: setting.backup, time: setting.time.now)
    case .purge: try await files.purge(time: setting.time.now)
    case .restore:
      await server.drain()
      try await files.restore(from: setting.backup, time: setting.time.now)
      (server, _) = try await Self.start(setting, port: port)
    }
  }

  /// Tells stories that all begin at the same moment.
  static let teller = Teller(
    startServer: { setting in try await InProcessServer(setting) },
    start: { 1_700_000_000_000 })
}

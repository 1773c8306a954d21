import CommuteFeatures
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite

@testable import StoryRunner

/// The server of a story in the test's own process: the same sockets and the same file, but its
/// clock is the story's.
final class InProcessServer: StoryServer {
  let port: UInt16
  let database: String
  private let server: Server

  init(_ setting: ServerSetting) async throws {
    database = "\(setting.folder)/server.db"
    let rules = ServerRules(try ReadingList.schema())
    let store = try await ServerSQLiteStore.open(database, rules: rules)
    var settings = ServerSettings()
    settings.http.port = 0
    settings.tokenFile = setting.tokenFile
    settings.wall = { setting.time.now }
    server = try Server(store: store, settings: settings)
    port = try await server.start().port
  }

  func end() async {
    await server.drain()
  }

  /// Tells stories that all begin at the same moment.
  static let teller = Teller(
    startServer: { setting in try await InProcessServer(setting) },
    start: { 1_700_000_000_000 })
}

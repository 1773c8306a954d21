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

  init(folder: String, time: StoryTime) async throws {
    database = "\(folder)/server.db"
    let rules = ServerRules(try ReadingList.schema())
    let store = try await ServerSQLiteStore.open(database, rules: rules)
    var settings = ServerSettings()
    settings.http.port = 0
    settings.wall = { time.now }
    server = try Server(store: store, settings: settings)
    port = try await server.start().port
  }

  func end() async {
    await server.drain()
  }

  /// Tells stories that all begin at the same moment.
  static let teller = Teller(
    startServer: { folder, time in try await InProcessServer(folder: folder, time: time) },
    start: { 1_700_000_000_000 })
}

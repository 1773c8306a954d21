import CommuteCore
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite
import CommuteStore
import Foundation

/// A server in a process of its own, until it is killed or told to end.
///
/// It hears `arm POINT PASSES DELAY` and `end`, and tells `listening PORT`, `e` and `done`.
struct ServerChild {
  private let order: ServerOrder
  private let fuse = Fuse()
  private let reporter = Reporter()

  init(_ order: ServerOrder) {
    self.order = order
  }

  /// Serves.
  ///
  /// - Returns: The exit code.
  func run() async -> Int32 {
    let (ends, ender) = AsyncStream.makeStream(of: Void.self)
    ParentLine.listen { [fuse] line in
      let words = line.split(separator: " ")
      if words.first == "end" { ender.yield() }
      guard words.first == "arm", words.count == 4, let passes = Int(words[2]),
        let delay = Int(words[3])
      else { return }
      fuse.arm(Fuse.Charge(point: String(words[1]), passes: passes, delay: delay))
    }
    do {
      let server = try Server(store: try await store(), settings: settings)
      let address = try await server.start()
      reporter.tell("listening \(address.port)")
      for await _ in ends { break }
      await server.drain()
      reporter.tell("done")
      return 0
    } catch {
      reporter.tell("e \(error)")
      return 1
    }
  }

  private func store() async throws -> any ServerStore {
    var settings = ServerSQLiteSettings()
    // The log is copied back often, so that kills meet it.
    settings.pagesPerCheckpoint = 100
    settings.hook = { [fuse] in fuse.pass($0.rawValue) }
    let schema = try Schema(
      name: Key(Sheet.schemaName), version: 1, tables: [Sheet.table.schema])
    let store = try await ServerSQLiteStore.open(
      order.file, rules: ServerRules(schema), settings: settings)
    return order.plant == .lostAnswer ? ForgetfulStore(store, file: order.file) : store
  }

  private var settings: ServerSettings {
    var settings = ServerSettings()
    settings.http.port = order.port
    settings.complain = { [reporter] in reporter.tell("e \($0)") }
    return settings
  }
}

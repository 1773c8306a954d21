import CommuteCore
import CommuteHTTP
import CommuteRelay
import CommuteServer
import CommuteServerSQLite
import CommuteStore
import Testing

@testable import CommuteSync

/// The driver against the real server over real sockets, with a switch between them.
@Suite(.timeLimit(.minutes(2))) struct LoopbackTests {
  /// Runs a body with a driver whose way to the server leads through a relay.
  private func withServer(
    _ body: (SyncDriver, Store, Relay, Scene) async throws -> Void
  ) async throws {
    let scene = try await Scene()
    let time = scene.time
    var settings = ServerSettings()
    settings.http.port = 0
    settings.wall = { time.wall }
    let server = try Server(store: scene.server, settings: settings)
    let address = try await server.start()
    let relay = try Relay(to: address.port)
    let store = try scene.open()
    var sync = SyncSettings(server: "http://127.0.0.1:\(relay.port)")
    let sleep = scene.sleep
    sync.sleep = { try await sleep.wait($0) }
    #if os(Linux)
      let client = CurlClient()
    #else
      let client = URLSessionClient()
    #endif
    let driver = SyncDriver(store: store, client: client, settings: sync)
    try await body(driver, store, relay, scene)
    await driver.stop()
    await relay.close()
    await server.drain()
  }

  @Test func `a port that is closed is told as not reachable, and reached again`() async throws {
    try await withServer { driver, store, relay, _ in
      try await store.add(1...1)
      await relay.switchOff()
      let offline = await driver.sync()
      await relay.switchOn()
      let online = await driver.sync()
      #expect(offline.status.text == "Server not reachable · 1 change waiting")
      #expect(online.settled == 1)
      #expect(online.status.text == "Up to date")
    }
  }

  @Test func `after a lost answer the server holds what was sent once`() async throws {
    try await withServer { driver, store, relay, scene in
      try await store.add(1...1)
      await relay.loseNextAnswer()
      let lost = await driver.sync()
      let again = await driver.sync()
      #expect(lost.status.waiting == 1)
      #expect(again.settled == 1)
      let other = try scene.open("other")
      _ = await scene.driver(other).sync()
      let titles = try await other.titles()
      #expect(titles == ["1"])
    }
  }

  @Test func `another account's file is told to sign in`() async throws {
    try await withServer { _, _, relay, scene in
      var options = StoreOptions(account: Account(tenant: "acme", user: "jo"))
      options.hostDirectory = "\(scene.folder)/hosts"
      let store = try Store("\(scene.folder)/acme", tables: [Book.table], options: options)
      let settings = SyncSettings(server: "http://127.0.0.1:\(relay.port)")
      #if os(Linux)
        let driver = SyncDriver(store: store, client: CurlClient(), settings: settings)
        let report = await driver.sync()
        #expect(
          report.status.text == "Sign-in needed: this file belongs to another account")
      #endif
    }
  }
}

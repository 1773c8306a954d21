import CommuteCore
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite
import CommuteStore
import Testing

@testable import CommuteSync

extension PreferenceKey where Value == String {
  fileprivate static let theme = PreferenceKey("theme", default: "light", reach: .account)
}

extension PreferenceKey where Value == Int {
  fileprivate static let goal = PreferenceKey("goal", default: 12, reach: .account)
}

extension PreferenceKey where Value == Bool {
  fileprivate static let largeText = PreferenceKey("large-text", default: false)
}

/// Settings of an account, over real sockets and a server's real database.
@Suite(.timeLimit(.minutes(2))) struct PreferenceSyncTests {
  @Test func `two devices that set different settings both keep theirs`() async throws {
    let scene = try await Scene()
    let time = scene.time
    var settings = ServerSettings()
    settings.http.port = 0
    settings.wall = { time.wall }
    let server = try Server(store: scene.server, settings: settings)
    let address = try await server.start()
    func device(_ name: String) throws -> (store: Store, driver: SyncDriver) {
      let store = try scene.open(name, change: { $0.syncsPreferences = true })
      #if os(Linux)
        let client = CurlClient()
      #else
        let client = URLSessionClient()
      #endif
      let way = SyncSettings(server: "http://127.0.0.1:\(address.port)")
      return (store, SyncDriver(store: store, client: client, settings: way))
    }
    let one = try device("one")
    let two = try device("two")
    try await one.store.preferences.set(.theme, to: "dark")
    try await one.store.preferences.set(.largeText, to: true)
    try await two.store.preferences.set(.goal, to: 40)
    for _ in 0..<2 {
      _ = await one.driver.sync()
      _ = await two.driver.sync()
    }
    for store in [one.store, two.store] {
      #expect(store.preferences[.theme] == "dark")
      #expect(store.preferences[.goal] == 40)
      let counts = try await store.counts()
      #expect(counts == StoreCounts())
    }
    #expect(!two.store.preferences[.largeText])
    var themes = two.store.preferences.values(of: .theme).makeAsyncIterator()
    _ = try await themes.next()
    time.advance(1_000)
    try await one.store.preferences.set(.theme, to: "sepia")
    _ = await one.driver.sync()
    _ = await two.driver.sync()
    let theme = try await themes.next()
    #expect(theme == "sepia")
    // A device that comes later has them all.
    let three = try device("three")
    _ = await three.driver.sync()
    #expect(three.store.preferences[.theme] == "sepia" && three.store.preferences[.goal] == 40)
    for driver in [one.driver, two.driver, three.driver] { await driver.stop() }
    await server.drain()
  }
}

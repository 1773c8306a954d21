import CommuteCore
import CommuteFeatures
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite
import CommuteStore
import CommuteSync
import Foundation
import Synchronization

/// Devices and a server in one folder that goes with them; time stands still unless it is moved.
final class Household: Sendable {
  /// The folder of everything.
  let folder: String
  /// The wall clock that all share.
  private let clock = StillClock()
  private let server: ServerSQLiteStore

  init() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "commute-features-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    self.folder = folder
    server = try await ServerSQLiteStore.open(
      "\(folder)/server.db", rules: ServerRules(try ReadingList.schema()),
      generator: CountingGenerator(start: 77))
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Opens a device, for the first time or again.
  func device(_ name: String) throws -> Device {
    var options = StoreOptions(
      schemaName: ReadingList.schemaName, schemaVersion: ReadingList.schemaVersion,
      deviceName: name)
    // Not this object itself: stores hold the clock, and the folder would outlive the test.
    let milliseconds: @Sendable () -> Int64 = { [clock] in clock.wall.withLock { $0 } }
    options.clock = StoreClock(wall: milliseconds, monotonic: milliseconds, bootID: { "boot" })
    options.hostDirectory = "\(folder)/hosts"
    options.randomSeed = name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) }
    let store = try Store("\(folder)/\(name)", tables: ReadingList.tables, options: options)
    let list = ReadingListRepository(store: store) {
      Date(timeIntervalSince1970: Double(milliseconds()) / 1_000)
    }
    return Device(
      store: store, list: list, client: DirectClient(server: server, time: milliseconds))
  }

  /// Moves the clock of all.
  func pass(milliseconds: Int64) { clock.wall.withLock { $0 += milliseconds } }
}

/// A clock that stands still until it is moved.
final class StillClock: Sendable {
  /// Milliseconds since 1970.
  let wall = Mutex<Int64>(1_700_000_000_000)
}

/// A device of a household.
struct Device: Sendable {
  let store: Store
  let list: ReadingListRepository
  let client: DirectClient

  /// Syncs until nothing is left.
  @discardableResult
  func sync() async -> SyncReport {
    let driver = SyncDriver(
      store: store, client: client, settings: SyncSettings(server: "http://server"))
    let report = await driver.sync()
    await driver.stop()
    return report
  }

  /// How many changes wait to be sent.
  func waiting() async throws -> Int { try await store.counts().waiting }

  /// The one book with this title.
  func book(_ title: String) async throws -> Book? {
    try await list.books().first { $0.title == title }
  }
}

/// Carries requests to a server of the same process.
final class DirectClient: HTTPClient {
  private let server: ServerSQLiteStore
  private let time: @Sendable () -> Int64

  init(server: ServerSQLiteStore, time: @escaping @Sendable () -> Int64) {
    self.server = server
    self.time = time
  }

  func send(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
    do {
      let message = try SyncRequest(decoding: request.body)
      let answer = try await server.answer(message, of: .local, time: time())
      return HTTPResponse(
        status: 200, headers: ["Content-Type": "application/json"], body: answer.encoded())
    } catch {
      throw .notAnAnswer(reason: "\(error)")
    }
  }
}

/// Random enough for ids, and the same in every run.
struct CountingGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(start: UInt64) { state = start }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}

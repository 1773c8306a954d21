import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteStore
import CommuteSync
import Foundation
import Synchronization

/// A device, a server's real store, and what lies between them, all in one folder that is gone when
/// the test is over.
final class Scene: Sendable {
  let folder: String
  let time = VirtualTime()
  let sleep = VirtualSleep()
  let server: ServerSQLiteStore
  let client: ScriptedClient
  private let openings = Atomic<UInt64>(0)

  init(rules: ServerRules = ServerRules()) async throws {
    let place = FileManager.default.temporaryDirectory
      .appending(path: "commute-sync-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    folder = place.path
    server = try await ServerSQLiteStore.open("\(folder)/server.db", rules: rules)
    client = ScriptedClient(server: server, time: time)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Opens a device's store; the same name again is the same file.
  func open(
    _ name: String = "device", tables: [any TableDeclaration] = [Book.table],
    onPoint: (@Sendable (CommuteStore.StorePoint) -> Void)? = nil,
    change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> Store {
    var options = StoreOptions(deviceName: name)
    options.onPoint = onPoint
    options.clock = time.clock
    // A file that is opened again must not draw the same ids again.
    options.randomSeed = openings.add(1, ordering: .relaxed).newValue
    options.hostDirectory = "\(folder)/hosts"
    change(&options)
    return try Store("\(folder)/\(name)", tables: tables, options: options)
  }

  /// Puts a backup in the place of what the server holds; the way to what stands there then.
  func putBack(_ backup: String) async throws -> ScriptedClient {
    await server.close()
    try await ServerDatabase("\(folder)/server.db").restore(from: backup, time: time.wall)
    let restored = try await ServerSQLiteStore.open("\(folder)/server.db", rules: ServerRules())
    return ScriptedClient(server: restored, time: time)
  }

  /// A driver whose delays are the longest they can be, and end when the test says so.
  func driver(
    _ store: Store, client: ScriptedClient? = nil,
    token: @escaping @Sendable () -> String? = { nil }
  ) -> SyncDriver {
    var settings = SyncSettings(server: "http://server.example/", token: token)
    settings.draw = { .max }
    let sleep = sleep
    settings.sleep = { try await sleep.wait($0) }
    return SyncDriver(store: store, client: client ?? self.client, settings: settings)
  }

  /// A second device that has synced these books.
  func otherDevice(adds numbers: ClosedRange<UInt64>) async throws {
    let store = try open("other")
    try await store.add(numbers)
    _ = await driver(store).sync()
    await store.close()
  }

  /// Lets tasks go on until a condition holds, or the test is given up.
  func until(_ condition: () async throws -> Bool) async rethrows {
    while try await !condition(), !Task.isCancelled { await Task.yield() }
  }
}

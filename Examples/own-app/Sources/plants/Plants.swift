import Commute
import CommuteServer
import CommuteServerSQLite
import Foundation

struct Plant: Record {
  var id = RecordID.zero
  var name = ""
  var wateredOn: Date?

  static let table = Table("plant", feed: "plants", blank: Plant()) {
    Column("name", \.name)
    Column("watered_on", \.wateredOn)
  }
  static let byName = Plant.order(by: \.name)
}

@main struct Plants {
  static func main() async throws {
    let folder = NSTemporaryDirectory() + "plants-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    // A server that knows the table and has a rule of its own.
    var rules = ServerRules(try Schema(name: "plants", version: 1, tables: [Plant.table.schema]))
    rules.refuse("plant") { $0.text("name") == "" ? "a plant needs a name" : nil }
    let shelf = try await ServerSQLiteStore.open(folder + "/server.sqlite", rules: rules)
    let server = try Server(store: shelf, settings: ServerSettings())
    let address = try await server.start()

    // Two devices: each a local database and a driver that keeps it in step.
    let phone = try await device("phone", in: folder, server: address.url)
    let tablet = try await device("tablet", in: folder, server: address.url)

    let id = try await phone.store.write { tx in try tx.insert(Plant(name: "Monstera")) }
    try await phone.store.write { tx in _ = try tx.insert(Plant()) }
    print("phone:", await phone.driver.sync().status.text)
    for refused in try await phone.store.inbox() { print("refused:", refused.message) }

    // Both change the plant apart: both changes survive.
    print("tablet:", await tablet.driver.sync().status.text)
    try await tablet.store.write { tx in _ = try tx.update(Plant.self, id) { $0.name = "Big one" } }
    try await phone.store.write { tx in
      _ = try tx.update(Plant.self, id) { $0.wateredOn = Date(timeIntervalSince1970: 1e9) }
    }
    for one in [tablet, phone, tablet] { _ = await one.driver.sync() }

    // What a screen would show: the query again after every commit that changes it.
    for try await plants in tablet.store.values(Plant.byName) {
      for plant in plants { print("\(plant.name), watered \(plant.wateredOn != nil)") }
      break
    }
    await server.drain()
    for one in [phone, tablet] { await one.store.close() }
    await shelf.close()
  }

  static func device(
    _ name: String, in folder: String, server: String
  ) async throws -> (store: Store, driver: SyncDriver) {
    var options = StoreOptions(schemaName: "plants", deviceName: name)
    options.hostDirectory = folder + "/hosts"
    let store = try Store(folder + "/" + name, tables: [Plant.table], options: options)
    return (store, SyncDriver(store: store, settings: SyncSettings(server: server)))
  }
}

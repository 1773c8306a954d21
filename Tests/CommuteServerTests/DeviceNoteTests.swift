import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Testing

@Suite struct `what the server keeps of devices` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `request number and nonce are those of the last request with operations`()
    async throws
  {
    let store = try await folder.openStore()
    var phone = TestDevice(0xA, name: "phone")
    let request = try phone.request([phone.operation(1, "Emma")])
    _ = try await store.send(request, of: phone, time: 1_000)
    phone.name = "Ann's phone"
    _ = try await store.round(&phone, time: 5_000)
    await store.close()
    #expect(try folder.sql("SELECT replica FROM device") == [.integer(0xA)])
    #expect(try folder.sql("SELECT owner FROM device") == [.text("local")])
    #expect(try folder.sql("SELECT name FROM device") == [.text("Ann's phone")])
    #expect(try folder.sql("SELECT request FROM device") == [.integer(1)])
    #expect(try folder.sql("SELECT nonce FROM device") == [.bytes(request.nonce.bytes)])
    #expect(try folder.sql("SELECT seen_at FROM device") == [.integer(5_000)])
  }

  @Test func `cursors are what the device said last, not what it was told`() async throws {
    let store = try await folder.openStore()
    var phone = TestDevice(0xA)
    var tablet = TestDevice(0xB)
    tablet.cursors["films"] = .some(nil)
    _ = try await store.round(&phone, [phone.operation(1, "Emma"), phone.operation(2, "Emma")])
    _ = try await store.round(&tablet)
    _ = try await store.round(&tablet)
    _ = try await store.round(&phone, [phone.operation(3, "Emma")])
    await store.close()
    let cursors = try folder.sql(
      "SELECT replica || ' ' || feed || ' ' || ifnull(cursor, '-') FROM device_cursor ORDER BY 1")
    #expect(cursors == [.text("10 books 2"), .text("11 books 2"), .text("11 films 0")])
  }

  @Test func `earlier replicas of a file carry its name`() async throws {
    let store = try await folder.openStore()
    var phone = TestDevice(0xA, name: "phone")
    var request = try phone.request([phone.operation(1, "Emma")])
    request.replica = ReplicaID(rawValue: 0xC)
    request.replicas = [ReplicaID(rawValue: 0xA)]
    _ = try await store.send(request, of: phone)
    var tablet = TestDevice(0xB, name: "tablet")
    let answer = try await store.round(&tablet)
    #expect(answer.devices.map(\.name) == ["phone"])
    #expect(answer.devices.map(\.replica.rawValue) == [0xA])
    await store.close()
    let names = try folder.sql("SELECT name FROM device WHERE replica IN (10, 12)")
    #expect(names == [.text("phone"), .text("phone")])
  }

  @Test func `nobody takes over the device of somebody else`() async throws {
    let store = try await folder.openStore()
    var ann = TestDevice(0xA, name: "Ann's", account: Account(tenant: "home", user: "ann"))
    var bob = TestDevice(0xA, name: "Bob's", account: Account(tenant: "home", user: "bob"))
    _ = try await store.round(&ann, [ann.operation(1, "Emma")])
    _ = try await store.round(&bob)
    _ = try await store.round(&bob, [bob.operation(2, "Dracula")])
    await store.close()
    #expect(try folder.sql("SELECT name FROM device") == [.text("Ann's")])
    #expect(try folder.sql("SELECT owner FROM device") == [.text("ann")])
    #expect(try folder.sql("SELECT count(*) FROM device_cursor") == [.integer(1)])
  }

  @Test func `a pull needs no commit to the disk`() async throws {
    let gate = WriterGate()
    let store = try await folder.openStore(settings: gate.settings)
    var tablet = TestDevice(0xB)
    for _ in 0..<20 { _ = try await store.round(&tablet) }
    await store.close()
    #expect(gate.count(.committed) == 0)
    #expect(try folder.sql("SELECT replica FROM device") == [.integer(0xB)])
  }
}

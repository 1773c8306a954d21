import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Foundation
import Testing

@Suite struct `the server's file` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func raw(_ sql: String, _ journal: Configuration.Journal = .unchanged) throws {
    var configuration = Configuration(.create)
    configuration.journal = journal
    let connection = try Connection(.file(folder.file()), configuration)
    try connection.execute(sql)
    connection.close()
  }

  private func reason(_ body: () async throws -> Void) async -> String {
    let error = await #expect(throws: ServerStoreError.self) { try await body() }
    guard case .cannotOpen(let reason) = error else { return String(describing: error) }
    return reason
  }

  @Test func `a restart keeps everything`() async throws {
    var phone = TestDevice(0xA, name: "phone")
    let operation = phone.operation(1, "Emma")
    var store = try await folder.openStore()
    let identity = try await store.identity()
    let first = try phone.request([operation])
    _ = try await store.send(first, of: phone)
    await store.close()

    store = try await folder.openStore(seed: 2)
    #expect(try await store.identity() == identity)
    let again = try await store.send(first, of: phone)
    #expect(again.verdicts.map(\.kind) == [.duplicate])
    var reused = phone
    reused.number = 0
    _ = reused.unique()
    let renewed = try await store.round(&reused, [reused.operation(2, "Dracula")])
    #expect(renewed.renew == [])
    var tablet = TestDevice(0xB)
    let read = try await store.round(&tablet)
    #expect(read.records.map { $0.text("title") } == ["Emma"])
    #expect(read.devices.map(\.name) == ["phone"])
    await store.close()
  }

  @Test func `the server's stamps rise over restarts, even where its clock falls`() async throws {
    var phone = TestDevice(0xA)
    let year: Int64 = 31_536_000_000
    var stamps: [Stamp] = []
    for round in 0..<3 {
      let store = try await folder.openStore()
      let operation = phone.operation(
        UInt64(round + 1), "Emma", stamp: phone.stamp(later: year))
      let answer = try await store.round(
        &phone, [operation], time: TestDevice.time - Int64(round) * year)
      stamps.append(try #require(answer.verdicts.first?.stamps["title"]))
      await store.close()
    }
    #expect(stamps[0] < stamps[1])
    #expect(stamps[1] < stamps[2])
  }

  @Test func `only its owner can read it and what lies beside it`() async throws {
    let store = try await folder.openStore()
    var phone = TestDevice()
    _ = try await store.round(&phone, [phone.operation(1, "Emma")])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(
      names == [
        "server.sqlite", "server.sqlite-shm", "server.sqlite-wal",
        "server.sqlite.checkpoint", "server.sqlite.lock",
      ])
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
    }
    await store.close()
  }

  @Test func `one process at a time serves it`() async throws {
    let store = try await folder.openStore()
    let words = await reason { _ = try await folder.openStore() }
    #expect(words.contains("served by another process"), "\(words)")
    await store.close()
    await (try await folder.openStore()).close()
  }

  @Test func `a file of a newer program is refused and left as it is`() async throws {
    await (try await folder.openStore()).close()
    try raw("PRAGMA user_version = 99")
    let words = await reason { _ = try await folder.openStore() }
    #expect(words.contains("newer program"), "\(words)")
    #expect(words.contains("update"), "\(words)")
    #expect(try folder.sql("PRAGMA user_version") == [.integer(99)])
  }

  @Test func `a database of something else is refused and left as it is`() async throws {
    try raw("CREATE TABLE recipe(name TEXT)", .rollback)
    let words = await reason { _ = try await folder.openStore() }
    #expect(words.contains("no database of a Commute server"), "\(words)")
    #expect(try folder.sql("SELECT name FROM sqlite_schema") == [.text("recipe")])
    #expect(try folder.sql("PRAGMA journal_mode") == [.text("delete")])
  }

  @Test func `a file that is no database and a folder that is not there are named`() async throws {
    try folder.write(String(repeating: "no database ", count: 100), to: "server.sqlite")
    let words = await reason { _ = try await folder.openStore() }
    #expect(words.contains("not a database"), "\(words)")
    let missing = await reason {
      _ = try await ServerSQLiteStore.open(folder.file("nowhere/server.sqlite"))
    }
    #expect(missing.contains("nowhere"), "\(missing)")
  }

  @Test func `another seed makes another server`() async throws {
    let store = try await folder.openStore(seed: 1)
    let other = try await ServerSQLiteStore.open(folder.file("other.sqlite"))
    let first = try await store.identity()
    let second = try await other.identity()
    #expect(first.epoch != second.epoch)
    #expect(first.server != second.server)
    await store.close()
    await other.close()
  }

  @Test func `the tables are those of the contract`() async throws {
    await (try await folder.openStore()).close()
    let names = try folder.sql(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1")
    let expected = [
      "child", "device", "device_cursor", "epoch_head", "feed", "grant", "meta", "migration",
      "open_deletion", "operation", "record", "restamp", "stub", "unique_key",
    ]
    #expect(names == expected.map { .text($0) })
    let keys = try folder.sql(
      """
      SELECT t.name FROM sqlite_schema AS t WHERE t.type = 'table'
      AND t.name NOT LIKE 'sqlite%' AND t.name NOT IN ('meta', 'migration')
      AND (SELECT name FROM pragma_table_info(t.name) WHERE pk = 1) IS NOT 'tenant'
      """)
    #expect(keys.isEmpty)
    let loose = try folder.sql(
      """
      SELECT name FROM pragma_table_list
      WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite%'
      """)
    #expect(loose.isEmpty)
  }
}

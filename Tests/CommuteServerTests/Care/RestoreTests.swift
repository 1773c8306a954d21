import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import CommuteTestKit
import Foundation
import Testing

@Suite struct `a server put back to a backup` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var database: ServerDatabase { ServerDatabase(folder.file()) }
  private var backup: String { folder.file("backup.sqlite") }
  private static let day: Int64 = 86_400_000

  private func restore(
    from name: String = "backup.sqlite", after: Int64 = 0, seed: UInt64 = 7,
    options: RestoreOptions = RestoreOptions()
  ) async throws -> RestoreReport {
    try await database.restore(
      from: folder.file(name), options: options, time: TestDevice.time + after,
      generator: SeededGenerator(seed: seed))
  }

  private func write(
    _ numbers: ClosedRange<UInt64>, by phone: inout TestDevice
  ) async throws -> ServerIdentity {
    let store = try await folder.openStore()
    _ = try await store.round(&phone, numbers.map { phone.operation($0, "Book \($0)") })
    let identity = try await store.identity()
    await store.close()
    return identity
  }

  @Test func `begins a new history under a new writing identity, and tells up to where`()
    async throws
  {
    var phone = TestDevice(0xA, name: "phone")
    let before = try await write(1...5, by: &phone)
    let replica = try folder.sql("SELECT replica FROM meta")
    try await database.backup(to: backup, time: TestDevice.time)
    _ = try await write(6...8, by: &phone)
    let report = try await restore(after: Self.day)
    #expect(report.identity.server == before.server)
    #expect(report.identity.epoch != before.epoch)
    #expect(report.records == 5)
    #expect(report.age == Self.day)
    #expect(try folder.sql("SELECT replica FROM meta") != replica)
    #expect(try folder.sql("SELECT backup FROM meta") == [.null])

    let store = try await folder.openStore()
    let answer = try await store.round(&phone)
    #expect(answer.epoch == report.identity.epoch)
    #expect(answer.feeds.isEmpty)
    #expect(
      answer.ancestry == [
        SyncAnswer.Ancestor(
          epoch: before.epoch, ended: TestDevice.time + Self.day, heads: ["books": 5])
      ])
    #expect(phone.epoch == report.identity.epoch)
    phone.cursors["books"] = .some(nil)
    #expect(try await store.readAll(&phone).count == 5)
    await store.close()
  }

  @Test func `keeps what was there before under another name, whole`() async throws {
    var phone = TestDevice(0xA)
    let before = try await write(1...5, by: &phone)
    try await database.backup(to: backup, time: TestDevice.time)
    _ = try await write(6...8, by: &phone)
    let report = try await restore()
    let kept = try #require(report.replaced)
    #expect(kept == folder.file("server.sqlite.replaced-\(before.epoch.text)"))
    let name = String(kept.split(separator: "/").last ?? "")
    #expect(try folder.sql("SELECT count(*) FROM record", in: name) == [.integer(8)])
    #expect(try folder.sql("PRAGMA integrity_check", in: name) == [.text("ok")])
    let again = try await restore(from: name, seed: 8)
    #expect(again.records == 8)
    #expect(again.replaced != kept)
  }

  @Test func `where there was none begins like any other`() async throws {
    var phone = TestDevice(0xA)
    let before = try await write(1...5, by: &phone)
    try await database.backup(to: backup, time: TestDevice.time)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasPrefix("server") {
      try FileManager.default.removeItem(atPath: folder.file(name))
    }
    let report = try await restore()
    #expect(report.replaced == nil)
    #expect(report.identity.epoch != before.epoch)
    #expect(try folder.sql("SELECT head FROM epoch_head") == [.integer(5)])
  }

  @Test func `twice to the same backup still knows the history in between`() async throws {
    var phone = TestDevice(0xA)
    let first = try await write(1...5, by: &phone)
    try await database.backup(to: backup, time: TestDevice.time)
    let second = try await restore(after: 1_000).identity
    phone.epoch = second.epoch
    _ = try await write(6...9, by: &phone)
    let third = try await restore(after: 2_000, seed: 8).identity
    #expect(third.epoch != second.epoch)
    let store = try await folder.openStore()
    phone.epoch = second.epoch
    let ancestry = try await store.round(&phone).ancestry
    #expect(ancestry.map(\.epoch) == [second.epoch, first.epoch])
    #expect(ancestry.map { $0.heads["books"] } == [5, 5])
    await store.close()
  }

  @Test func `a chain of backups tells the least of each epoch`() async throws {
    var phone = TestDevice(0xA)
    let first = try await write(1...5, by: &phone)
    try await database.backup(to: backup, time: TestDevice.time)
    let second = try await restore(after: 1_000).identity
    phone.epoch = second.epoch
    _ = try await write(6...9, by: &phone)
    try await database.backup(to: folder.file("later.sqlite"), time: TestDevice.time)
    _ = try await restore(from: "later.sqlite", after: 2_000, seed: 8)
    let store = try await folder.openStore()
    phone.epoch = first.epoch
    let ancestry = try await store.round(&phone).ancestry
    #expect(ancestry.map(\.epoch) == [first.epoch, second.epoch])
    #expect(ancestry.map { $0.heads["books"] } == [5, 9])
    await store.close()
  }

  @Test func `older than deletions are remembered is refused, unless they may come back`()
    async throws
  {
    var phone = TestDevice(0xA)
    let before = try await write(1...5, by: &phone)
    try await database.backup(to: backup, time: TestDevice.time)
    let error = await #expect(throws: ServerDatabaseError.self) {
      _ = try await restore(after: 91 * Self.day)
    }
    #expect(error == .tooOld(days: 91, retentionDays: 90))
    #expect(
      try folder.sql("SELECT epoch FROM meta")
        == [.integer(Int64(bitPattern: before.epoch.rawValue))])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.contains("restoring") || $0.contains("replaced") })
    var options = RestoreOptions()
    options.acceptsResurrection = true
    #expect(try await restore(after: 91 * Self.day, options: options).records == 5)
  }

  @Test func `a plain copy without its moment is as old as the last thing in it`() async throws {
    var phone = TestDevice(0xA)
    let store = try await folder.openStore()
    let request = try phone.request([phone.operation(1, "Emma")])
    _ = try await store.send(request, of: phone, time: TestDevice.time + 3 * Self.day)
    await store.close()
    try FileManager.default.copyItem(atPath: folder.file(), toPath: backup)
    let report = try await restore(after: 10 * Self.day)
    #expect(report.age == 7 * Self.day)
  }

  @Test func `of another server, or something else, is refused`() async throws {
    var phone = TestDevice(0xA)
    _ = try await write(1...5, by: &phone)
    let other = try await ServerSQLiteStore.open(folder.file("other.sqlite"))
    await other.close()
    try await ServerDatabase(folder.file("other.sqlite")).backup(
      to: backup, time: TestDevice.time)
    await #expect(throws: ServerDatabaseError.otherServer(path: folder.file())) {
      try await restore()
    }
    try folder.write("{\"no\": \"database\"}" + String(repeating: " ", count: 600), to: "x")
    for name in ["x", "nowhere"] {
      let error = await #expect(throws: ServerDatabaseError.self) { try await restore(from: name) }
      guard case .notADatabase = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(try folder.sql("SELECT count(*) FROM record") == [.integer(5)])
  }

  @Test func `is refused while somebody serves the file`() async throws {
    var phone = TestDevice(0xA)
    _ = try await write(1...5, by: &phone)
    try await database.backup(to: backup, time: TestDevice.time)
    let store = try await folder.openStore()
    await #expect(throws: ServerDatabaseError.served(path: folder.file())) {
      try await restore()
    }
    _ = try await store.round(&phone, [phone.operation(6, "Emma")])
    await store.close()
    #expect(try await restore().records == 5)
  }

  @Test func `replaces a damaged file, and keeps it`() async throws {
    var phone = TestDevice(0xA)
    _ = try await write(1...5, by: &phone)
    try await database.backup(to: backup, time: TestDevice.time)
    try folder.write(String(repeating: "damaged ", count: 1_000), to: "server.sqlite")
    let report = try await restore()
    #expect(report.replaced == folder.file("server.sqlite.replaced-damaged"))
    let kept = try String(
      contentsOfFile: folder.file("server.sqlite.replaced-damaged"), encoding: .utf8)
    #expect(kept.hasPrefix("damaged damaged"))
    let store = try await folder.openStore()
    phone.epoch = nil
    phone.cursors["books"] = .some(nil)
    #expect(try await store.readAll(&phone).count == 5)
    await store.close()
  }

  @Test func `rights that were taken away since stay away`() async throws {
    var phone = TestDevice(0xA)
    _ = try await write(1...5, by: &phone)
    try await database.backup(to: backup, time: TestDevice.time)
    let connection = try Connection(.file(folder.file()), Configuration(.readWrite))
    try connection.execute(
      "INSERT INTO \"grant\" VALUES ('local', 'ann', 'books', 3, 'none', 'left the team')")
    connection.close()
    _ = try await restore()
    let rows = try folder.sql("SELECT owner || number || access || reason FROM \"grant\"")
    #expect(rows == [.text("ann3noneleft the team")])
  }

  @Test func `nobody has read anything of the new history yet`() async throws {
    var phone = TestDevice(0xA)
    var tablet = TestDevice(0xB)
    _ = try await write(1...5, by: &phone)
    let store = try await folder.openStore()
    _ = try await store.readAll(&tablet)
    _ = try await store.round(&tablet)
    await store.close()
    #expect(
      try folder.sql("SELECT cursor FROM device_cursor WHERE replica = 11") == [.integer(5)])
    try await database.backup(to: backup, time: TestDevice.time)
    _ = try await restore(after: 80 * Self.day)
    #expect(try folder.sql("SELECT count(cursor) FROM device_cursor") == [.integer(0)])
    #expect(
      try folder.sql("SELECT DISTINCT seen_at FROM device")
        == [.integer(TestDevice.time + 80 * Self.day)])
    let reopened = try await folder.openStore()
    // Its cursors are still those of the history that ended.
    _ = try await reopened.round(&tablet)
    await reopened.close()
    #expect(try folder.sql("SELECT count(cursor) FROM device_cursor") == [.integer(0)])
  }
}

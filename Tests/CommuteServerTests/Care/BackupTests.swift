import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Foundation
import Testing

@Suite struct `a backup of a server` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var database: ServerDatabase { ServerDatabase(folder.file()) }
  private var backup: String { folder.file("backup.sqlite") }

  private func fill(_ store: ServerSQLiteStore, _ numbers: ClosedRange<UInt64>) async throws {
    var phone = TestDevice(0xA, name: "phone")
    phone.number = numbers.lowerBound
    _ = try await store.round(&phone, numbers.map { phone.operation($0, "Book \($0)") })
  }

  @Test func `is made while the server serves, and holds one moment`() async throws {
    let store = try await folder.openStore()
    try await fill(store, 1...20)
    async let more: Void = fill(store, 21...40)
    let report = try await database.backup(to: backup, time: TestDevice.time)
    try await more
    #expect(report.records == 20 || report.records == 40)
    #expect(report.identity == (try await store.identity()))
    #expect(report.bytes > 0)
    let counted = try folder.sql("SELECT count(*) FROM record", in: "backup.sqlite")
    #expect(counted == [.integer(report.records)])
    let head = try folder.sql("SELECT revision FROM feed", in: "backup.sqlite")
    #expect(head == [.integer(report.records)])
    #expect(try folder.sql("PRAGMA integrity_check", in: "backup.sqlite") == [.text("ok")])
    await store.close()
  }

  @Test func `is one file that its owner only can read`() async throws {
    let store = try await folder.openStore()
    try await fill(store, 1...2)
    try await database.backup(to: backup, time: TestDevice.time)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.filter { $0.hasPrefix("backup") } == ["backup.sqlite"])
    let attributes = try FileManager.default.attributesOfItem(atPath: backup)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(try folder.sql("PRAGMA journal_mode", in: "backup.sqlite") == [.text("delete")])
    #expect(
      try folder.sql("SELECT backup FROM meta", in: "backup.sqlite")
        == [.integer(TestDevice.time)])
    #expect(try folder.sql("SELECT backup FROM meta") == [.null])
    await store.close()
  }

  @Test func `is not served as it is: two servers would write one history`() async throws {
    let store = try await folder.openStore()
    try await fill(store, 1...2)
    await store.close()
    try await database.backup(to: backup, time: TestDevice.time)
    let error = await #expect(throws: ServerStoreError.self) {
      try await ServerSQLiteStore.open(backup)
    }
    #expect(error?.description.contains("restore") == true)
    #expect(
      try folder.sql("SELECT backup FROM meta", in: "backup.sqlite")
        == [.integer(TestDevice.time)])
  }

  @Test func `overwrites nothing, and leaves nothing where it fails`() async throws {
    try folder.write("mine", to: "backup.sqlite")
    await (try await folder.openStore()).close()
    await #expect(throws: ServerDatabaseError.exists(path: backup)) {
      try await database.backup(to: backup)
    }
    #expect(try String(contentsOfFile: backup, encoding: .utf8) == "mine")

    try folder.write(String(repeating: "no database ", count: 100), to: "other.sqlite")
    for name in ["other.sqlite", "missing.sqlite"] {
      let error = await #expect(throws: ServerDatabaseError.self) {
        try await ServerDatabase(folder.file(name)).backup(to: folder.file("new.sqlite"))
      }
      guard case .notADatabase(let path, _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(path == folder.file(name))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.hasPrefix("new") })
  }

  @Test func `of a damaged file is refused by its name`() async throws {
    let store = try await folder.openStore()
    try await fill(store, 1...200)
    await store.close()
    let file = try #require(FileHandle(forUpdatingAtPath: folder.file()))
    for page in 4..<20 {
      try file.seek(toOffset: UInt64(page * 4_096))
      try file.write(contentsOf: Data(repeating: 0x5A, count: 2_048))
    }
    try file.close()
    let error = await #expect(throws: ServerDatabaseError.self) {
      try await database.backup(to: backup)
    }
    guard case .damaged(let path, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path == folder.file())
    #expect(!FileManager.default.fileExists(atPath: backup))
  }
}

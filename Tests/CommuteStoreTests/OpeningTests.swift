import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import StoreSupport
import Testing

@Suite struct OpeningTests {
  let folder: TemporaryStore

  init() throws {
    folder = try TemporaryStore()
  }

  private func rights(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  private func hostFile() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.hosts)
    return "\(folder.hosts)/\(try #require(names.first))"
  }

  @Test func `everything a store makes can be read by its owner only`() async throws {
    let store = try folder.open()
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    #expect(try rights(folder.device) == 0o700)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.device) {
      #expect(try rights("\(folder.device)/\(name)") == 0o600, "\(name)")
    }
    #expect(try rights(folder.hosts) == 0o700)
    #expect(try rights(hostFile()) == 0o600)
    await store.close()
  }

  @Test func `a file that was closed goes on as who it was`() async throws {
    let first = try folder.open()
    let before = try await first.device()
    await first.close()
    folder.time.restartMachine()
    let second = try folder.open()
    let after = try await second.device()
    #expect(after.replica == before.replica)
    #expect(after.earlierReplicas == [])
  }

  @Test func `without a record outside, the file takes a new identity`() async throws {
    let first = try folder.open()
    let before = try await first.device()
    await first.close()
    try FileManager.default.removeItem(atPath: folder.hosts)
    let second = try folder.open { $0.randomSeed = 9 }
    let after = try await second.device()
    #expect(after.replica != before.replica)
    #expect(after.earlierReplicas == [before.replica])
    await second.close()
    let third = try folder.open()
    let last = try await third.device()
    #expect(last.replica == after.replica)
  }

  @Test func `where nothing can be kept outside, every open takes a new identity`() async throws {
    let first = try folder.open { $0.hostDirectory = nil }
    let before = try await first.device()
    await first.close()
    let second = try folder.open {
      $0.hostDirectory = nil
      $0.randomSeed = 9
    }
    let after = try await second.device()
    #expect(after.replica != before.replica)
  }

  @Test func `a file put back from a copy takes a new identity, and keeps what waits`() async throws
  {
    let store = try folder.open()
    let server = SmallServer()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    await store.close()
    let copy = try Data(contentsOf: URL(filePath: store.databasePath))
    let again = try folder.open()
    let before = try await again.device()
    try await again.syncAll(with: server)
    await again.close()
    try copy.write(to: URL(filePath: store.databasePath))
    let restored = try folder.open { $0.randomSeed = 9 }
    let after = try await restored.device()
    let counts = try await restored.counts()
    #expect(after.replica != before.replica)
    #expect(counts.waiting == 1)
    try await restored.syncAll(with: server)
    let left = try await restored.counts()
    #expect(left == StoreCounts())
    #expect(server.records.count == 1)
  }

  @Test func `a machine that went down under an open file gives it a new identity`() async throws {
    let first = try folder.open()
    try await first.write { tx in try tx.insert(Book(title: "Momo")) }
    let before = try await first.device()
    folder.time.restartMachine()
    let second = try folder.open { $0.randomSeed = 9 }
    let after = try await second.device()
    #expect(after.replica != before.replica)
    await first.close()
  }

  @Test func `a process that died without closing goes on as who it was`() async throws {
    let first = try folder.open()
    try await first.write { tx in try tx.insert(Book(title: "Momo")) }
    let before = try await first.device()
    let second = try folder.open { $0.randomSeed = 9 }
    let after = try await second.device()
    #expect(after.replica == before.replica)
    await first.close()
  }

  @Test func `another account is refused by name`() async throws {
    let first = try folder.open { $0.account = Account(tenant: "acme", user: "bob") }
    await first.close()
    #expect(throws: StoreError.wrongOwner(found: "acme/bob", wanted: "acme/anna")) {
      try folder.open { $0.account = Account(tenant: "acme", user: "anna") }
    }
  }

  @Test func `a file used without an account goes to whoever signs in first`() async throws {
    let first = try folder.open()
    try await first.write { tx in _ = try tx.insert(Book(title: "Emma")) }
    await first.close()
    let second = try folder.open { $0.account = Account(tenant: "acme", user: "anna") }
    let device = try await second.device()
    let count = try await second.read { tx in try tx.count(Book.all) }
    #expect(device.account == Account(tenant: "acme", user: "anna"))
    #expect(count == 1)
    await second.close()
    #expect(throws: StoreError.wrongOwner(found: "acme/anna", wanted: "local/local")) {
      try folder.open()
    }
  }

  @Test func `a file that is no database, or a damaged one, is said to be so`() async throws {
    let first = try folder.open()
    try await first.write { tx in
      for number in 0..<500 { try tx.insert(Book(title: "Book \(number)")) }
    }
    await first.close()
    let path = first.databasePath
    try Data("this is not a database, it is far too short".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: StoreError.self) { try folder.open() }
    guard case .corrupt = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [Loss.removed, .emptied])
  func `a device whose file is lost is no new one, unless the app says so`(loss: Loss) async throws
  {
    let first = try folder.open()
    try await first.write { tx in try tx.insert(Book(title: "Momo")) }
    let before = try await first.device()
    await first.close()
    let path = first.databasePath
    try FileManager.default.removeItem(atPath: path)
    if loss == .emptied { try Data().write(to: URL(filePath: path)) }
    #expect(throws: StoreError.missing(path: path, loss: loss)) { try folder.open() }
    #expect(FileManager.default.fileExists(atPath: path) == (loss == .emptied))
    let anew = try folder.open {
      $0.startsAnew = true
      $0.randomSeed = 9
    }
    let after = try await anew.device()
    #expect(after.replica != before.replica && after.earlierReplicas == [])
    await anew.close()
    // From then on it is a device like any other.
    let again = try folder.open()
    let device = try await again.device()
    #expect(device.replica == after.replica)
  }

  @Test func `a log without its database is kept, whatever the app says`() async throws {
    let store = try folder.open()
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    let path = store.databasePath
    let log = try Data(contentsOf: URL(filePath: path + "-wal"))
    await store.close()
    try FileManager.default.removeItem(atPath: path)
    try log.write(to: URL(filePath: path + "-wal"))
    #expect(!log.isEmpty)
    #expect(throws: StoreError.missing(path: path, loss: .onlyLogLeft)) {
      try folder.open { $0.startsAnew = true }
    }
    #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
  }

  @Test func `a file that was made and never used is a new device`() async throws {
    // As where the process died between making the file and its first page.
    try FileManager.default.createDirectory(
      atPath: folder.device, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: "\(folder.device)/commute.db"))
    let store = try folder.open()
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 0)
  }

  @Test func `a folder that cannot be made is named`() throws {
    try Data().write(to: URL(filePath: folder.device))
    #expect(
      throws: StoreError.unreadable(path: folder.device, reason: "it is not a folder")
    ) {
      try folder.open()
    }
  }

  @Test func `a host record that cannot be written stops a round, and nothing else`() async throws {
    let store = try folder.open()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    try FileManager.default.removeItem(atPath: folder.hosts)
    try Data().write(to: URL(filePath: folder.hosts))
    let error = await #expect(throws: StoreError.self) { try await store.beginRound(batch: 10) }
    guard case .hostRecord = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await store.write { tx in try tx.insert(Book(id: id(2), title: "Krabat")) }
    let counts = try await store.counts()
    #expect(counts.waiting == 2)
  }

  @Test func `a full disk loses nothing and says so`() async throws {
    let store = try folder.open { $0.pageLimit = 60 }
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    await #expect(throws: StoreError.diskFull) {
      try await store.write { tx in
        for number in 0..<5_000 { try tx.insert(Book(title: "Book number \(number)")) }
      }
    }
    let count = try await store.read { tx in try tx.count(Book.all) }
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 3 } }
    #expect(count == 1)
    #expect(try folder.value("PRAGMA integrity_check") == .text("ok"))
  }
}

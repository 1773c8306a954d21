import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import Synchronization
import Testing

/// Backups and compact copies of a store in use.
@Suite struct CopyingTests {
  let folder: TemporaryStore

  init() throws {
    folder = try TemporaryStore()
  }

  private func fill(_ store: Store, _ count: Int, length: Int = 200) async throws {
    try await store.write { tx in
      for number in 0..<count {
        try tx.insert(Book(title: "\(number) " + String(repeating: "long ", count: length / 5)))
      }
    }
  }

  /// Reads a copy with a connection of its own.
  private func value(_ path: String, _ sql: SQL) throws -> SQLValue {
    let connection = try Connection(.file(path), Configuration(.readOnly))
    defer { connection.close() }
    return try connection.value(sql)
  }

  @Test func `a backup tells how far it is, and is one state while writes go on`() async throws {
    let store = try folder.open()
    try await fill(store, 8_000)
    let path = "\(folder.path)/copy.db"
    let told = Mutex<[BackupProgress]>([])
    let (ready, readyNow) = AsyncStream<Void>.makeStream()
    let (written, writtenNow) = AsyncStream<Void>.makeStream()
    async let copying: Void = store.backup(toFile: path) { progress in
      let isFirst = told.withLock { told in
        told.append(progress)
        return told.count == 1
      }
      guard isFirst else { return }
      readyNow.finish()
      // The backup stands here until another transaction is in the file.
      let group = DispatchGroup()
      group.enter()
      Task {
        for await _ in written {}
        group.leave()
      }
      group.wait()
    }
    for await _ in ready {}
    try await fill(store, 1)
    writtenNow.finish()
    try await copying
    let steps = told.withLock { $0 }
    #expect(steps.count > 2)
    #expect(steps.map(\.copied) == steps.map(\.copied).sorted())
    #expect(steps.last?.copied == steps.last?.total)
    #expect(try value(path, "SELECT count(*) FROM book") == .integer(8_000))
    #expect(try value(path, "PRAGMA integrity_check") == .text("ok"))
    #expect(try folder.value("SELECT count(*) FROM book") == .integer(8_001))
    for suffix in ["-wal", "-shm", "-journal"] {
      #expect(!FileManager.default.fileExists(atPath: path + suffix))
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test(arguments: [false, true])
  func `a copy put back is another writer and keeps what waits`(isCompact: Bool) async throws {
    let store = try folder.open()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let before = try await store.device()
    let path = "\(folder.path)/copy.db"
    if isCompact {
      try await store.vacuum(into: path)
    } else {
      try await store.backup(toFile: path)
    }
    await store.close()
    let files = FileManager.default
    for suffix in ["", "-wal", "-shm"] {
      try? files.removeItem(atPath: store.databasePath + suffix)
    }
    try files.copyItem(atPath: path, toPath: store.databasePath)
    let restored = try folder.open { $0.randomSeed = 9 }
    let after = try await restored.device()
    let counts = try await restored.counts()
    let title = try await restored.read { tx in try tx.fetch(Book.self, id(1))?.title }
    #expect(after.replica != before.replica && after.earlierReplicas == [before.replica])
    #expect(counts.waiting == 1)
    #expect(title == "Momo")
  }

  @Test func `a compact copy leaves free space out`() async throws {
    let store = try folder.open()
    try await fill(store, 10)
    try await store.write { tx in
      try tx.execute("CREATE TABLE own(content BLOB)")
      for _ in 0..<20 { try tx.execute("INSERT INTO own VALUES (randomblob(100000))") }
    }
    try await store.write { tx in _ = try tx.execute("DELETE FROM own") }
    try await store.backup(toFile: "\(folder.path)/all.db")
    try await store.vacuum(into: "\(folder.path)/less.db")
    let all = try value("\(folder.path)/all.db", "PRAGMA page_count")
    let less = try value("\(folder.path)/less.db", "PRAGMA page_count")
    guard case .integer(let pages) = all, case .integer(let fewer) = less else {
      Issue.record("\(all) \(less)")
      return
    }
    #expect(fewer * 2 < pages)
    #expect(try value("\(folder.path)/less.db", "SELECT count(*) FROM book") == .integer(10))
  }

  @Test func `nothing is written over, and a copy that is cancelled leaves no file`() async throws {
    let store = try folder.open()
    try await fill(store, 4_000)
    let path = "\(folder.path)/copy.db"
    try Data("mine".utf8).write(to: URL(filePath: path))
    let taken = StoreError.unreadable(path: path, reason: "there is a file of this name already")
    await #expect(throws: taken) { try await store.backup(toFile: path) }
    await #expect(throws: taken) { try await store.vacuum(into: path) }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
    let other = "\(folder.path)/other.db"
    let (began, beganNow) = AsyncStream<Void>.makeStream()
    let (cancelled, cancelledNow) = AsyncStream<Void>.makeStream()
    let copying = Task {
      try await store.backup(toFile: other) { _ in
        beganNow.finish()
        let group = DispatchGroup()
        group.enter()
        Task {
          for await _ in cancelled {}
          group.leave()
        }
        group.wait()
      }
    }
    for await _ in began {}
    copying.cancel()
    cancelledNow.finish()
    await #expect(throws: CancellationError.self) { try await copying.value }
    #expect(!FileManager.default.fileExists(atPath: other))
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 4_000)
  }

  @Test func `a store in memory is copied into a file`() async throws {
    let store = try Store.inMemory(tables: [Book.table])
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    let path = "\(folder.path)/copy.db"
    try await store.backup(toFile: path)
    #expect(try value(path, "SELECT title FROM book") == .text("Momo"))
  }
}

import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import Synchronization
import Testing

@Suite struct SharingTests {
  let folder: TemporaryStore

  init() throws {
    folder = try TemporaryStore()
  }

  @Test func `many writers share transactions, and each is all or nothing`() async throws {
    struct Regret: Error {}
    let store = try folder.open()
    let failed = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          do {
            try await store.write(durability: .full) { tx in
              try tx.insert(Book(id: id(UInt64(number)), title: "Book \(number)"))
              if number.isMultiple(of: 10) { throw Regret() }
            }
            return false
          } catch {
            return true
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    let books = try await store.read { tx in try tx.count(Book.all) }
    #expect(failed == 20)
    #expect(books == 180)
    #expect(store.writeCount == 180)
    #expect(store.commitCount < 180)
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(180))
    #expect(try folder.value("PRAGMA integrity_check") == .text("ok"))
  }

  @Test func `a failing write among others leaves none of its changes to observers`() async throws {
    struct Regret: Error {}
    let store = try folder.open()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          try? await store.write(durability: .full) { tx in
            try tx.insert(Book(id: id(UInt64(number)), title: "\(number)"))
            if number % 2 == 1 { throw Regret() }
          }
        }
      }
    }
    // A record whose insertion was undone can be inserted: nothing remembers the first attempt.
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "again")) }
    let pending = try folder.value("SELECT count(*) FROM c_outbox")
    #expect(pending == .integer(26))
  }

  @Test func `two stores on one file see each other's writes`() async throws {
    let one = try folder.open()
    let other = try folder.open()
    try await one.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    try await other.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 5 } }
    try await one.write { tx in try tx.update(Book.self, id(1)) { $0.read = true } }
    let book = try await other.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(book == Book(id: id(1), title: "Momo", read: true, rating: 5))
    let outbox = try folder.rows("SELECT position, creates FROM c_outbox")
    #expect(outbox == [[.integer(1), .integer(1)]])
    await one.close()
    await other.close()
  }

  @Test func `stamps of two stores on one file never repeat`() async throws {
    let one = try folder.open()
    let other = try folder.open { $0.randomSeed = 2 }
    for number in 0..<20 {
      let store = number.isMultiple(of: 2) ? one : other
      try await store.write { tx in
        try tx.insert(Book(id: id(UInt64(number)), title: "\(number)"))
      }
    }
    let clocks = try folder.rows("SELECT DISTINCT clock FROM c_outbox")
    #expect(clocks.count == 20)
    await one.close()
    await other.close()
  }

  @Test func `a read sees one state while others write`() async throws {
    let store = try folder.open()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let gate = Gate()
    async let counts = store.read { tx in
      let before = try tx.count(Book.all)
      gate.pass()
      gate.waitForPartner()
      return (before, try tx.count(Book.all))
    }
    await gate.untilPassed()
    try await store.write { tx in try tx.insert(Book(id: id(2), title: "Krabat")) }
    gate.open()
    let (before, after) = try await counts
    #expect(before == 1)
    #expect(after == 1)
  }

  @Test func `one process syncs a file at a time, and the other hears who`() async throws {
    let one = try folder.open()
    let other = try folder.open()
    let claim = try one.claimSync(as: "reader 17")
    #expect(throws: StoreError.syncedElsewhere(holder: "reader 17")) {
      try other.claimSync(as: "reader 18")
    }
    #expect(throws: StoreError.syncedElsewhere(holder: "reader 17")) {
      try one.claimSync(as: "reader 19")
    }
    claim.release()
    let second = try other.claimSync(as: "reader 18")
    second.release()
    await one.close()
    await other.close()
  }

  @Test func `a closed store holds no lock and leaves no log`() async throws {
    let store = try folder.open()
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    _ = try await store.read { tx in try tx.count(Book.all) }
    await store.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.device)
    try folder.execute("BEGIN EXCLUSIVE; COMMIT")
    #expect(names.sorted() == ["commute.db", "sync.lock", "writer.lock"])
    #expect(try folder.value("SELECT clean_end FROM c_meta") == .integer(1))
  }

  @Test func `a store that is forgotten gives its files back`() async throws {
    do {
      let store = try folder.open()
      try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    }
    let again = try folder.open()
    let count = try await again.read { tx in try tx.count(Book.all) }
    #expect(count == 1)
    await again.close()
  }

  @Test func `the log is copied into the database by the store itself`() async throws {
    let points = Mutex<[StorePoint]>([])
    let store = try folder.open {
      $0.onPoint = { point in points.withLock { $0.append(point) } }
    }
    let long = String(repeating: "A long title. ", count: 4_000)
    try await store.write { tx in
      for number in 0..<200 { try tx.insert(Book(title: "\(number) \(long)")) }
    }
    try await store.write(durability: .full) { tx in try tx.insert(Book(title: "last")) }
    await store.close()
    let seen = points.withLock { $0 }
    #expect(seen.contains(.beforeCheckpoint))
    #expect(seen.contains(.afterCheckpoint))
    #expect(seen.filter { $0 == .insideTransaction }.count >= 2)
    #expect(seen.filter { $0 == .afterCommit }.count >= 2)
  }
}

/// Lets a test stand between two steps of a read.
private final class Gate: Sendable {
  private let condition = NSCondition()
  private let hasPassed = Mutex(false)
  private let isOpen = Mutex(false)

  func pass() {
    condition.lock()
    hasPassed.withLock { $0 = true }
    condition.broadcast()
    condition.unlock()
  }

  func waitForPartner() {
    condition.lock()
    while !isOpen.withLock({ $0 }) { condition.wait() }
    condition.unlock()
  }

  func untilPassed() async {
    while !hasPassed.withLock({ $0 }) { await Task.yield() }
  }

  func open() {
    condition.lock()
    isOpen.withLock { $0 = true }
    condition.broadcast()
    condition.unlock()
  }
}

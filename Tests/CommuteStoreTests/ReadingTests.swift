import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import StoreSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The lock that another process holds while it writes.
private final class OtherWriter {
  private let descriptor: Int32

  init(_ folder: TemporaryStore) throws {
    descriptor = open("\(folder.device)/writer.lock", O_RDWR | O_CLOEXEC)
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
  }

  func end() {
    close(descriptor)
  }
}

/// Looking is possible whatever keeps a device from writing.
@Suite(.timeLimit(.minutes(1))) struct ReadingTests {
  let folder: TemporaryStore
  let server = SmallServer()

  init() async throws {
    folder = try TemporaryStore()
    let store = try folder.open()
    try await store.write { tx in
      try tx.insert(Book(id: id(1), title: "Momo"))
      tx.setNote("place", "here")
    }
    try await store.setServer("http://localhost:1")
    try await store.syncAll(with: server)
    try await store.saveRetry(after: .timedOut, failures: 2, milliseconds: 60_000)
    await store.close()
  }

  /// Everything that lists, status and export look at.
  private func look(_ store: Store) async throws {
    let books = try await store.read { tx in try tx.fetch(Book.all) }
    let retry = try await store.retry()
    let last = try await store.lastSuccess()
    let server = try await store.server()
    let name = try await store.deviceName()
    let note = try await store.note("place")
    let none = try await store.note("elsewhere")
    let counts = try await store.counts()
    let device = try await store.device()
    let inbox = try await store.inbox()
    #expect(books.map(\.title) == ["Momo"])
    #expect(retry?.failures == 2)
    #expect(last == 1_700_000_000_000)
    #expect(server == "http://localhost:1")
    #expect(name == "laptop")
    #expect(note == "here")
    #expect(none == nil)
    #expect(counts == StoreCounts())
    #expect(device.number == 1)
    #expect(inbox == [])
  }

  @Test func `another process that writes for long keeps nobody from looking`() async throws {
    let other = try OtherWriter(folder)
    let store = try folder.open { $0.busyMilliseconds = 3_600_000 }
    try await look(store)
    // Nor from ending.
    await store.close()
    other.end()
    #expect(try folder.value("PRAGMA integrity_check") == .text("ok"))
  }

  @Test func `a file that needs a new identity can be looked at before it has one`() async throws {
    try FileManager.default.removeItem(atPath: folder.hosts)
    let other = try OtherWriter(folder)
    let store = try folder.open {
      $0.busyMilliseconds = 1
      $0.randomSeed = 9
    }
    try await look(store)
    let before = try await store.device()
    let error = await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.insert(Book(id: id(2), title: "Krabat")) }
    }
    other.end()
    try await store.write { tx in try tx.insert(Book(id: id(3), title: "Emma")) }
    let after = try await store.device()
    let round = try await store.beginRound(batch: 10)
    guard case .busy = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(after.replica != before.replica)
    #expect(after.earlierReplicas == [before.replica])
    #expect(round.request.operations.map(\.operation.replica) == [after.replica])
    await store.close()
  }

  @Test func `who only looks sees what others write`() async throws {
    let store = try folder.open { $0.pollMilliseconds = 10 }
    var titles: [[String]] = []
    for try await books in store.values(Book.order(by: \.title)) {
      titles.append(books.map(\.title))
      if titles.count == 2 { break }
      let other = try folder.open { $0.randomSeed = 9 }
      try await other.write { tx in try tx.insert(Book(id: id(2), title: "Krabat")) }
      await other.close()
    }
    #expect(titles == [["Momo"], ["Krabat", "Momo"]])
    await store.close()
  }

  @Test func `a full disk keeps nobody from looking`() async throws {
    let pages = try folder.value("PRAGMA page_count")
    guard case .integer(let count) = pages else {
      Issue.record("\(String(describing: pages))")
      return
    }
    let store = try folder.open { $0.pageLimit = Int(count) }
    await #expect(throws: StoreError.diskFull) {
      try await store.write { tx in
        for number in 0..<5_000 { try tx.insert(Book(title: "Book number \(number)")) }
      }
    }
    try await look(store)
    await store.close()
  }
}

import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import StoreSupport
import Testing

#if os(Linux)
  import Glibc
#endif

/// A store that lets go of its files while the app sleeps.
@Suite struct SuspendingTests {
  let folder: TemporaryStore

  init() throws {
    folder = try TemporaryStore()
  }

  #if os(Linux)
    /// The locks that the system knows on the files of the store, of whatever kind and process.
    private func locks() throws -> [String] {
      let files = FileManager.default
      var places: [String: String] = [:]
      for name in try files.contentsOfDirectory(atPath: folder.device) {
        let attributes = try files.attributesOfItem(atPath: "\(folder.device)/\(name)")
        if let number = attributes[.systemFileNumber] as? NSNumber {
          places["\(number)"] = name
        }
      }
      var lines: Set<Substring> = []
      // Other tests lock and unlock meanwhile, and the system gives the table out in pieces.
      for _ in 0..<20 { lines.formUnion(Self.table().split(separator: "\n")) }
      return lines.compactMap { line in
        let words = line.split(separator: " ")
        // `1: POSIX ADVISORY READ pid major:minor:inode start end`
        guard let place = words.first(where: { $0.contains(":") && !$0.hasSuffix(":") }),
          let inode = place.split(separator: ":").last, let name = places[String(inode)]
        else { return nil }
        return "\(name): \(line)"
      }
    }

    /// The whole of `/proc/locks`, of which Foundation reads only the beginning.
    private static func table() -> String {
      let descriptor = open("/proc/locks", O_RDONLY)
      defer { close(descriptor) }
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 65_536)
      while case let count = read(descriptor, &piece, piece.count), count > 0 {
        bytes += piece[..<count]
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// The descriptors that this process has open on files of the store's database.
    private func descriptors() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }.filter { $0.hasPrefix("\(folder.device)/commute.db") }
    }

    @Test func `no file is locked while a store is suspended`() async throws {
      let store = try folder.open()
      try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
      _ = try await store.read { tx in try tx.count(Book.all) }
      var seen = store.values(Book.all).makeAsyncIterator()
      _ = try await seen.next()
      let claim = try store.claimSync(as: "a round")
      // Otherwise the look at the locks would prove nothing.
      let before = try locks()
      #expect(before.contains { $0.hasPrefix("commute.db") })
      #expect(before.contains { $0.hasPrefix("sync.lock") })
      #expect(try !descriptors().isEmpty)
      await store.suspend()
      #expect(try locks() == [])
      #expect(try descriptors() == [])
      try await store.resume()
      #expect(try locks().contains { $0.hasPrefix("sync.lock") })
      claim.release()
      await store.close()
    }
  #endif

  @Test func `a suspended store refuses by name, and goes on when it is resumed`() async throws {
    let store = try folder.open()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let device = try await store.device()
    await store.suspend()
    await store.suspend()
    await #expect(throws: StoreError.suspended) { try await store.read { _ in } }
    await #expect(throws: StoreError.suspended) { try await store.write { _ in } }
    await #expect(throws: StoreError.suspended) {
      try await store.write(durability: .full) { _ in }
    }
    try await store.resume()
    try await store.resume()
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.rating = 5 } }
    let book = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    let after = try await store.device()
    #expect(book?.rating == 5)
    #expect(after.replica == device.replica && after.earlierReplicas == [])
    #expect(store.commitCount >= 2)
    await store.close()
    await #expect(throws: StoreError.closed) { try await store.resume() }
  }

  @Test func `observed queries stay, and tell what others wrote meanwhile`() async throws {
    let store = try folder.open()
    var seen = store.values(Book.all).makeAsyncIterator()
    _ = try await seen.next()
    await store.suspend()
    let other = try folder.open { $0.randomSeed = 5 }
    try await other.write { tx in try tx.insert(Book(id: id(2), title: "Krabat")) }
    await other.close()
    try await store.resume()
    let books = try await seen.next()
    #expect(books?.map(\.title) == ["Krabat"])
    try await store.write { tx in try tx.insert(Book(id: id(3), title: "Momo")) }
    let more = try await seen.next()
    #expect(more?.count == 2)
  }

  @Test func `a round under way when the app sleeps is answered after it wakes`() async throws {
    let server = SmallServer()
    let store = try folder.open()
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    let round = try await store.beginRound(batch: 10)
    let answer = try SyncAnswer(
      decoding: server.answer(round.bytes, time: 1_700_000_000_000))
    await store.suspend()
    await #expect(throws: StoreError.suspended) { try await store.apply(answer, roundTrip: 1) }
    try await store.resume()
    let applied = try await store.apply(answer, roundTrip: 1)
    #expect(applied.reading == .apply)
    let counts = try await store.counts()
    #expect(counts == StoreCounts())
  }

  @Test func `writes that wait when the app goes to sleep are done before`() async throws {
    let store = try folder.open()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<40 {
        group.addTask {
          do {
            try await store.write(durability: .full) { tx in
              try tx.insert(Book(title: "Book \(number)"))
            }
            return true
          } catch StoreError.suspended {
            return false
          }
        }
      }
      await store.suspend()
      var done: Int64 = 0
      for try await isDone in group where isDone { done += 1 }
      #expect(try folder.value("SELECT count(*) FROM book") == .integer(done))
    }
  }

  @Test func `a newer app that came meanwhile leaves the store for reading`() async throws {
    let store = try folder.open { $0.schemaVersion = 4 }
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    await store.suspend()
    let new = try folder.open { $0.schemaVersion = 5 }
    await new.close()
    try await store.resume()
    let reason = StoreError.newerSchema(found: "schema 5", known: "schema 4")
    #expect(store.readOnlyReason == reason)
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 1)
    await #expect(throws: reason) { try await store.write { _ in } }
  }
}

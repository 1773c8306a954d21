import CommuteCore
import CommuteStore
import Foundation
import Synchronization
import Testing

/// Eight who read while one writes: `COMMITS=` says for how many commits, which `make sanitize`
/// makes a minute's worth.
@Suite(.timeLimit(.minutes(10))) struct ReadersTests {
  private static let commits =
    Int(ProcessInfo.processInfo.environment["COMMITS"] ?? "") ?? 300
  private static let books: ClosedRange<UInt64> = 1...30

  /// What readers are held to: the number of the last commit whose write has returned.
  private final class Progress: Sendable {
    let returned = Atomic(0)
    let isOver = Atomic(false)
  }

  @Test func `eight readers see whole states, none older than what was written when they began`()
    async throws
  {
    let folder = try TemporaryStore()
    let store = try folder.open()
    try await store.write { tx in
      for number in Self.books { try tx.insert(Book(id: id(number), title: "0", rating: 0)) }
    }
    let progress = Progress()
    let reads = try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        defer { progress.isOver.store(true, ordering: .releasing) }
        for number in 1...Self.commits {
          try await store.write { tx in
            _ = try tx.update(Book.all) {
              $0.rating = number
              $0.title = "\(number)"
            }
          }
          progress.returned.store(number, ordering: .releasing)
        }
        return 0
      }
      for reader in 0..<8 {
        group.addTask { try await Self.read(store, until: progress, inPlace: reader % 2 == 0) }
      }
      return try await group.reduce(0, +)
    }
    #expect(reads >= 8)
    let ends = try folder.rows("SELECT DISTINCT rating, title FROM book")
    #expect(ends == [[.integer(Int64(Self.commits)), .text("\(Self.commits)")]])
    await store.close()
  }

  /// Reads until the writer is done, and once more.
  private static func read(
    _ store: Store, until progress: Progress, inPlace: Bool
  ) async throws -> Int {
    var reads = 0
    var last = 0
    var isLast = false
    while !isLast {
      isLast = progress.isOver.load(ordering: .acquiring)
      let least = max(last, progress.returned.load(ordering: .acquiring))
      let seen: [Book]
      if inPlace {
        let one = try await store.fetch(Book.self, id(UInt64(1 + reads % books.count)))
        seen = [try #require(one)]
      } else {
        seen = try await store.read { tx in try tx.fetch(Book.all) }
        #expect(seen.count == books.count)
      }
      let rating = try #require(seen.first?.rating)
      #expect(rating >= least, "a state from before commit \(least)")
      #expect(seen.allSatisfy { $0.rating == rating && $0.title == "\(rating)" })
      last = rating
      reads += 1
      // Reading in place suspends nobody, and the writer needs a thread, too.
      await Task.yield()
    }
    return reads
  }
}

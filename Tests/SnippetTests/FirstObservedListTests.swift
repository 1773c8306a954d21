import CommuteCore
import CommuteStore
import Observation
import Testing

// snippet: view-model
@MainActor @Observable
final class ReadingModel {
  let reading: LiveQuery<Book>
  private let store: Store

  init(store: Store) {
    self.store = store
    reading = LiveQuery(Book.where(\.shelf == .reading).order(by: \.title), in: store)
  }

  var headline: String {
    reading.isLoaded ? "\(reading.records.count) in progress" : "Opening"
  }

  func finish(_ book: Book) async throws {
    try await store.write { tx in try tx.set(\Book.shelf, to: .done, on: book.id) }
  }
}
// end

@Suite struct FirstObservedListTests {
  let store: Store

  init() async throws { store = try await Store.library() }

  private func follow(_ show: @Sendable ([String]) async -> Void) async throws {
    // snippet: values
    let reading = Book.where(\.shelf == .reading).order(by: \.title)
    for try await books in store.values(reading) {
      await show(books.map(\.title))
    }
    // end
  }

  @Test func `a list is told now and after every commit that changes it`() async throws {
    let (seen, seeing) = AsyncStream<[String]>.makeStream()
    let following = Task { try await follow { seeing.yield($0) } }
    var lists = seen.makeAsyncIterator()
    let first = await lists.next()
    try await store.write { tx in try tx.set(\Book.pages, to: 600, on: id(14)) }
    try await store.write { tx in try tx.set(\Book.shelf, to: .reading, on: id(13)) }
    let second = await lists.next()
    #expect(first == ["The Neverending Story"])
    #expect(second == ["Krabat", "The Neverending Story"])
    // Closing the store ends what is observed.
    await store.close()
    try await following.value
  }

  @Test func `any read is observed by what it looked at`() async throws {
    // snippet: values-of-a-read
    let progress = store.values { tx in
      let done = try tx.count(Book.where(\.shelf == .done))
      return [done, try tx.count(Book.all)]
    }
    // end
    var counts = progress.makeAsyncIterator()
    let first = try await counts.next()
    try await store.write { tx in try tx.set(\Book.title, to: "Mumu", on: id(11)) }
    try await store.write { tx in try tx.delete(Book.self, id(11)) }
    let second = try await counts.next()
    #expect(first == [1, 4])
    #expect(second == [0, 3])
  }

  private func apply(_ edit: @Sendable (ListDifference, [Book]) async -> Void) async throws {
    // snippet: changes
    for try await change in store.changes(Book.order(by: \.title)) {
      await edit(change.difference, change.records)
    }
    // end
  }

  @Test func `a list tells what came, went, moved and changed`() async throws {
    let (seen, seeing) = AsyncStream<ListDifference>.makeStream()
    let applying = Task { try await apply { difference, _ in seeing.yield(difference) } }
    var differences = seen.makeAsyncIterator()
    let first = await differences.next()
    try await store.write { tx in
      try tx.delete(Book.self, id(14))
      try tx.set(\Book.title, to: "Zeit", on: id(11))
    }
    let second = await differences.next()
    #expect(first?.inserted == [0, 1, 2, 3])
    #expect(second?.removed == [0])
    #expect(second?.moved.count == 1)
    #expect(second?.changed == [2])
    await store.close()
    try await applying.value
  }

  @MainActor @Test func `a view model shows what the store holds`() async throws {
    let model = ReadingModel(store: store)
    #expect(model.headline == "Opening")
    await model.shows("1 in progress")
    let book = try #require(model.reading.records.first)
    try await model.finish(book)
    await model.shows("0 in progress")
    await store.close()
  }
}

extension ReadingModel {
  /// Waits, by what is observed, until the headline is this.
  fileprivate func shows(_ text: String) async {
    while headline != text {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = headline
        } onChange: {
          continuation.resume()
        }
      }
      await Task.yield()
    }
  }
}

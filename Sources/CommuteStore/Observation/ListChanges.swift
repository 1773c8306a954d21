/// The records of a query after every commit that changes them, with what is different.
///
/// Whoever is slow sees only the newest list; the difference is always to the one seen before.
public struct ListChanges<Model: Record>: AsyncSequence, Sendable {
  /// A list, and what is different.
  public typealias Element = ListChange<Model>

  let lists: StoreValues<[Model]>

  /// Iterates over the lists.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: StoreValues<[Model]>.AsyncIterator
    var last: [Model] = []

    /// Waits for the next list, and compares it with the one before: in proportion to its length.
    ///
    /// - Throws: What the read throws; the observation is over then.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> ListChange<Model>? {
      guard let records = try await base.next(isolation: actor) else { return nil }
      let difference = ListDifference(from: last, to: records) {
        Model.table.difference($0, $1) == 0
      }
      last = records
      return ListChange(records: records, difference: difference)
    }
  }

  /// Begins to observe.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: lists.makeAsyncIterator())
  }
}

extension Store {
  /// The records of a query, now and after every commit that changes them, with what came, went,
  /// moved and changed since.
  public func changes<Model: Record>(_ query: Query<Model>) -> ListChanges<Model> {
    ListChanges(lists: values(query))
  }
}

import CommuteCore

/// The result of a read, now and after every commit that changes it.
///
/// Whoever is slow sees only the newest result. The sequence ends when the store is closed.
public struct StoreValues<Element: Sendable>: AsyncSequence, Sendable {
  let subscribe: @Sendable () -> AsyncThrowingStream<Element, any Error>

  /// Iterates over the results.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncThrowingStream<Element, any Error>.Iterator

    /// Waits for the next result.
    ///
    /// - Throws: What the read throws; the observation is over then.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Element? {
      try await base.next(isolation: actor)
    }
  }

  /// Begins to observe.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: subscribe().makeAsyncIterator())
  }
}

extension Store {
  /// The result of a read, now and after every commit that changes it.
  public func values<Value: Sendable & Equatable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> Value
  ) -> StoreValues<Value> {
    observed(body) { $0 == $1 }
  }

  /// The records of a query, now and after every commit that changes them.
  public func values<Model: Record>(_ query: Query<Model>) -> StoreValues<[Model]> {
    observed { tx in
      try tx.fetch(query)
    } isSame: { one, other in
      one.count == other.count
        && zip(one, other).allSatisfy {
          $0.id == $1.id && Model.table.difference($0, $1) == 0
        }
    }
  }

  private func observed<Value: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> Value,
    isSame: @escaping @Sendable (Value, Value) -> Bool
  ) -> StoreValues<Value> {
    let observers = observers
    return StoreValues {
      AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { stream in
        let last = LastValue<Value>()
        let observer = Observers.Observer { session, note in
          Self.read(body, isSame: isSame, last: last, into: stream, on: session, noting: note)
        } end: { error in
          stream.finish(throwing: error)
        }
        guard let id = observers.add(observer) else {
          return stream.finish(throwing: StoreError.closed)
        }
        stream.onTermination = { _ in observers.remove(id) }
      }
    }
  }

  /// Reads once more, notes what was looked at, and delivers what differs.
  ///
  /// - Returns: Whether the observation goes on.
  private static func read<Value: Sendable>(
    _ body: @Sendable (borrowing ReadTransaction) throws -> Value,
    isSame: (Value, Value) -> Bool, last: LastValue<Value>,
    into stream: AsyncThrowingStream<Value, any Error>.Continuation, on session: StoreConnection,
    noting note: (Region) -> Void
  ) -> Bool {
    do {
      let (value, region) = try session.noting { try session.reading(body) }
      note(region)
      let isNew = last.value.withLock { last in
        defer { last = value }
        return last.map { !isSame($0, value) } ?? true
      }
      guard isNew else { return true }
      if case .terminated = stream.yield(value) { return false }
      return true
    } catch {
      stream.finish(throwing: error)
      return false
    }
  }
}

/// What was delivered last.
private final class LastValue<Value: Sendable>: Sendable {
  let value = Locked<Value?>(nil)
}

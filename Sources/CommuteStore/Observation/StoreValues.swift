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
  ///
  /// The read is made again only where a commit touched what it looked at: single records read by
  /// their ids, and the columns that queries and SQL name.
  public func values<Value: Sendable & Equatable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> Value
  ) -> StoreValues<Value> {
    observed {
      let last: Locked<Value?> = Locked(nil)
      let reading: Reading<Value> = { session, _ in
        let (value, region) = try session.noting { try session.inState(body) }
        let isNew = last.withLock { last in
          defer { last = value }
          return last != value
        }
        return (isNew ? value : nil, region)
      }
      return (nil, reading)
    }
  }

  /// The records of a query, now and after every commit that changes them.
  ///
  /// A query of conditions on columns, orders and a limit is not run again: the list is kept in
  /// step by the records that were committed.
  public func values<Model: Record>(_ query: Query<Model>) -> StoreValues<[Model]> {
    observed {
      let list = LiveList(query)
      let reading: Reading<[Model]> = { session, changes in
        switch try list.step(on: session, by: changes) {
        case .same: return (nil, nil)
        case .changed(let records): return (records, nil)
        case .stale: break
        }
        let (records, region) = try session.noting { () throws(StoreError) in
          session.noteRead(of: Model.table.name)
          return try list.read(on: session)
        }
        return (records, region)
      }
      return (list.scope, reading)
    }
  }

  /// What reads and compares, made anew for whoever begins to observe: the result where it is
  /// another one than before, and what was looked at where that is another than before.
  private typealias Reading<Value> =
    @Sendable (StoreConnection, Observers.Changes) throws -> (value: Value?, region: Region?)

  private func observed<Value: Sendable>(
    _ makeReading: @escaping @Sendable () -> (ListScope?, Reading<Value>)
  ) -> StoreValues<Value> {
    let observers = observers
    return StoreValues {
      AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { stream in
        let (scope, reading) = makeReading()
        let observer = Observers.Observer(scope: scope) { session, changes in
          do {
            let (value, region) = try reading(session, changes)
            if let value, case .terminated = stream.yield(value) { return .ended }
            return region.map { .looked(at: $0) } ?? .asBefore
          } catch {
            stream.finish(throwing: error)
            return .ended
          }
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
}

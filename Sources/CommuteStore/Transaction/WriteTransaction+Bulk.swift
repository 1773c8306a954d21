public import CommuteCore

/// Writing many records at once; each is stamped and queued by itself, and only where it changes.
extension WriteTransaction {
  /// Adds records.
  ///
  /// - Returns: Their ids, in order.
  @discardableResult
  public borrowing func insert<Model: Record>(
    _ records: [Model], feed: String? = nil
  ) throws(StoreError) -> [RecordID] {
    var ids: [RecordID] = []
    ids.reserveCapacity(records.count)
    for record in records { ids.append(try insert(record, feed: feed)) }
    return ids
  }

  /// Adds records, or writes them over those with their ids.
  ///
  /// - Returns: Their ids, in order.
  @discardableResult
  public borrowing func save<Model: Record>(
    _ records: [Model], feed: String? = nil
  ) throws(StoreError) -> [RecordID] {
    var ids: [RecordID] = []
    ids.reserveCapacity(records.count)
    for record in records { ids.append(try save(record, feed: feed)) }
    return ids
  }

  /// Writes records that were read before and changed.
  ///
  /// - Returns: How many of them really differed.
  @discardableResult
  public borrowing func update<Model: Record>(_ records: [Model]) throws(StoreError) -> Int {
    var count = 0
    for record in records where try !update(record).isEmpty { count += 1 }
    return count
  }

  /// Changes every record of a query: `tx.update(Book.where(\.read == false)) { $0.read = true }`.
  ///
  /// The records are chosen before the first one is changed.
  ///
  /// - Returns: How many of them the closure really changed.
  @discardableResult
  public borrowing func update<Model: Record>(
    _ query: Query<Model>, _ change: (inout Model) throws -> Void
  ) throws -> Int {
    var count = 0
    for id in try ids(query) where try !update(Model.self, id, change).isEmpty { count += 1 }
    return count
  }

  /// Writes one property of every record of a query.
  ///
  /// - Returns: How many of them had another value before.
  @discardableResult
  public borrowing func set<Model: Record, Value: ColumnValue>(
    _ path: any WritableKeyPath<Model, Value> & Sendable, to value: Value, in query: Query<Model>
  ) throws(StoreError) -> Int {
    var count = 0
    for id in try ids(query) where try set(path, to: value, on: id) { count += 1 }
    return count
  }

  /// Deletes a record; one that is not there or deleted already stays as it is.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public borrowing func delete<Model: Record>(_ record: Model) throws(StoreError) -> Bool {
    try delete(Model.self, record.id)
  }

  /// Deletes records by their ids.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public borrowing func delete<Model: Record>(
    _ model: Model.Type = Model.self, _ ids: [RecordID]
  ) throws(StoreError) -> Int {
    var count = 0
    for id in ids where try delete(model, id) { count += 1 }
    return count
  }

  /// Deletes every record of a query.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public borrowing func delete<Model: Record>(_ query: Query<Model>) throws(StoreError) -> Int {
    try delete(Model.self, try ids(query))
  }

  /// Runs a part of the transaction that is undone alone when it throws; parts may lie in parts.
  ///
  /// Nothing of a part that throws is kept, queued, or told to observers; the rest of the
  /// transaction goes on if the error is caught.
  ///
  /// - Throws: What the closure throws.
  /// - Returns: What the closure returns.
  @discardableResult
  public borrowing func savepoint<Result>(
    _ body: (borrowing WriteTransaction) throws -> Result
  ) throws -> Result {
    let core = core
    return try core.apart {
      let part = WriteTransaction(core)
      return try body(part)
    }
  }
}

public import CommuteCore
import CommuteSQLite

/// A transaction that writes: all of it becomes permanent together, or nothing of it does.
///
/// It is lent to the closure of a write and reads its own changes.
public struct WriteTransaction: ~Copyable, StoreReader {
  let core: WriterCore

  init(_ core: WriterCore) {
    self.core = core
  }

  /// The connection that the transaction runs on.
  public var session: StoreConnection { core.session }

  /// Draws an id for a new record.
  public borrowing func newID() -> RecordID {
    core.newRecord()
  }

  /// Adds a record.
  ///
  /// - Parameters:
  ///   - record: The record; the zero id is replaced by a new one.
  ///   - feed: The feed it belongs to for life; the table's unless told otherwise.
  /// - Returns: The record's id.
  /// - Throws: ``StoreError/refused(_:)`` where the id exists or was deleted,
  ///   ``StoreError/value(table:column:problem:)`` for a value that cannot be kept,
  ///   ``StoreError/taken(table:columns:by:)`` where another record has a unique key of it,
  ///   ``StoreError/derivedID(table:columns:)`` where its id does not come from its key as it must,
  ///   ``StoreError/recordTooLarge(_:bytes:limit:)`` and ``StoreError/tooManyFeeds(feed:limit:)``
  ///   beyond the limits.
  @discardableResult
  public borrowing func insert<Model: Record>(
    _ record: Model, feed: String? = nil
  ) throws(StoreError) -> RecordID {
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    if shape.isLocal {
      let id = record.id == .zero ? core.newRecord() : record.id
      try withRecord(record) { (pointer) throws(StoreError) in
        try core.checkUnique(pointer, id: id, changed: ~0, in: shape)
        try core.insertLocal(pointer, id: id, in: shape)
      }
      show(record, id, CommittedChange.everything, in: shape)
      return id
    }
    let name = try Self.feed(feed, of: shape)
    try core.enter(feed: name)
    let given = record.id
    let (id, isDone) = try withRecord(record) { (pointer) throws(StoreError) in
      let id = try core.newRecord(given, pointer, feed: name, in: shape)
      if !shape.uniqueKeys.isEmpty {
        try core.checkUnique(pointer, id: id, changed: ~0, feed: name, in: shape)
      }
      return (id, try core.insertFresh(pointer, id: id, feed: name, in: shape))
    }
    if isDone {
      show(record, id, CommittedChange.everything, in: shape)
      return id
    }
    var record = record
    record.id = id
    do throws(StoreError) {
      return try put(record, feed: feed) { (loaded, values, core, context) throws(WriteRefusal) in
        try loaded.create(values, operation: core.newOperation(), context: &context)
      }
    } catch .refused(.exists) where shape.derivingColumns != nil {
      throw core.taken(shape.derivingColumns ?? [], by: id, in: shape)
    }
  }

  /// Adds a record that many devices add alike without a person having decided it there.
  ///
  /// A seed never overwrites what anyone wrote. Use it with ids that are constants or derived.
  ///
  /// - Returns: What became of it.
  /// - Throws: What ``insert(_:feed:)->RecordID`` throws, but for existing and deleted records.
  @discardableResult
  public borrowing func insertSeed<Model: Record>(
    _ record: Model, feed: String? = nil
  ) throws(StoreError) -> SeedOutcome {
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    guard !shape.isLocal else {
      let isThere = try fetch(Model.self, record.id) != nil
      if !isThere { try insert(record) }
      return isThere ? .unchanged : .added
    }
    let record = try identified(record, feed: feed, in: shape)
    let existed = try core.load(record.id, in: shape).record.view != nil
    if !existed {
      let feed = try Self.feed(feed, of: shape)
      try checkUnique(record, id: record.id, feed: feed, in: shape)
    }
    var queued: [Key] = []
    do throws(StoreError) {
      _ = try put(record, feed: feed) { (loaded, values, core, context) throws(WriteRefusal) in
        queued = try loaded.seed(values, operation: core.newOperation(), context: &context)
      }
    } catch .refused(.deleted) {
      return .deletedEarlier
    }
    if !existed { return .added }
    return queued.isEmpty ? .unchanged : .filled(queued.map(\.text))
  }

  private borrowing func put<Model: Record>(
    _ record: Model, feed: String?,
    _ change: (
      inout DeviceRecord, FieldMap<FieldValue>, WriterCore, inout WriteContext
    ) throws(WriteRefusal) -> Void
  ) throws(StoreError) -> RecordID {
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    let id = record.id == .zero ? core.newRecord() : record.id
    let feed = try Self.feed(feed, of: shape)
    let values = try Model.table.values(of: record)
    var loaded = try core.load(id, in: shape, feed: feed)
    var context = core.context
    do {
      try change(&loaded.record, values, core, &context)
    } catch {
      throw .refused(error)
    }
    try core.checkSize(of: loaded)
    try core.enter(feed: loaded.record.feed)
    core.state.device.clock = context.clock
    guard loaded.record != loaded.before else { return id }
    try core.noteNeeds(of: &loaded.record, in: shape)
    try core.save(loaded, in: shape)
    return id
  }

  private borrowing func checkUnique<Model: Record>(
    _ record: Model, id: RecordID, changed: UInt64 = ~0, feed: Key? = nil, in shape: TableShape
  ) throws(StoreError) {
    guard !shape.uniqueKeys.isEmpty else { return }
    try withRecord(record) { (pointer) throws(StoreError) in
      try core.checkUnique(pointer, id: id, changed: changed, feed: feed, in: shape)
    }
  }

  /// The record with the id that its key leads to, where the table's ids come from one.
  private borrowing func identified<Model: Record>(
    _ record: Model, feed: String?, in shape: TableShape
  ) throws(StoreError) -> Model {
    guard shape.derivingColumns != nil else { return record }
    let name = try Self.feed(feed, of: shape)
    var identified = record
    identified.id = try withRecord(record) { (pointer) throws(StoreError) in
      try core.newRecord(record.id, pointer, feed: name, in: shape)
    }
    return identified
  }

  /// Lends the memory of a record.
  @inline(__always)
  private borrowing func withRecord<Model: Record, Result>(
    _ record: Model, _ body: (UnsafeRawPointer) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try withUnsafePointer(to: record) { (pointer) throws(StoreError) in
      try body(UnsafeRawPointer(pointer))
    }
  }

  private static func feed(_ given: String?, of shape: TableShape) throws(StoreError) -> Key {
    guard let feed = given.map({ Key($0) }) ?? shape.feed else {
      throw .query(reason: "records of \(shape.name) need a feed; name one in the insert")
    }
    return feed
  }

  /// Changes a record; only columns that really change are stamped and queued.
  ///
  /// - Returns: The names of the columns that changed; none where nothing was written.
  /// - Throws: ``StoreError/refused(_:)`` where there is no such record,
  ///   ``StoreError/recordTooLarge(_:bytes:limit:)``, and what the closure throws as it is.
  @discardableResult
  public borrowing func update<Model: Record>(
    _ model: Model.Type = Model.self, _ id: RecordID, _ change: (inout Model) throws -> Void
  ) throws -> [String] {
    let (loaded, before) = try load(model, id)
    var after = before
    try change(&after)
    return try write(after, was: before, loaded, id)
  }

  /// Writes a record that was read before and changed; only columns that differ are queued.
  ///
  /// Columns that others changed since it was read are overwritten; ``update(_:_:_:)`` is better
  /// wherever the change can be said in a closure.
  ///
  /// - Returns: The names of the columns that changed.
  @discardableResult
  public borrowing func update<Model: Record>(_ record: Model) throws(StoreError) -> [String] {
    let (loaded, before) = try load(Model.self, record.id)
    return try write(record, was: before, loaded, record.id)
  }

  /// Writes one property of a record: `tx.set(\Book.read, to: true, on: id)`.
  ///
  /// - Returns: Whether it was another value before.
  @discardableResult
  public borrowing func set<Model: Record, Value: ColumnValue>(
    _ path: any WritableKeyPath<Model, Value> & Sendable, to value: Value, on id: RecordID
  ) throws(StoreError) -> Bool {
    guard Model.table.column(at: path) != nil else {
      throw .query(reason: "\(path) is no column of \(Model.table.name); declare it in the table")
    }
    let (loaded, before) = try load(Model.self, id)
    var after = before
    after[keyPath: path] = value
    return try !write(after, was: before, loaded, id).isEmpty
  }

  /// Adds a record, or writes it over the one with its id; only columns that differ are queued.
  ///
  /// - Parameters:
  ///   - record: The record; the zero id is replaced by a new one.
  ///   - feed: The feed of a record that is new; the table's unless told otherwise.
  /// - Returns: The record's id.
  /// - Throws: What ``insert(_:feed:)->RecordID`` and ``update(_:)->[String]`` throw; a deleted
  ///   record stays deleted, unless the table's rule is `editRevives`.
  @discardableResult
  public borrowing func save<Model: Record>(
    _ record: Model, feed: String? = nil
  ) throws(StoreError) -> RecordID {
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    let record = try identified(record, feed: feed, in: shape)
    if record.id == .zero { return try insert(record, feed: feed) }
    do throws(StoreError) {
      try update(record)
      return record.id
    } catch .refused(.noSuchRecord) {
      return try insert(record, feed: feed)
    } catch .refused(.deleted) where shape.layout.schema.rule == .editRevives {
      return try insert(record, feed: feed)
    }
  }

  /// A record that is about to be changed, as the engine knows it.
  private enum OpenedRecord {
    /// It is this device's alone.
    case local
    case plain(PlainRow)
    case whole(LoadedRecord)
  }

  /// Loads a record to be changed, both as the engine and as the app knows it.
  private borrowing func load<Model: Record>(
    _ model: Model.Type, _ id: RecordID
  ) throws(StoreError) -> (OpenedRecord, Model) {
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    if shape.isLocal {
      if let found = try fetch(model, id) { return (.local, found) }
      throw .refused(.noSuchRecord(RecordKey(table: shape.key, id: id)))
    }
    let table = Model.table
    var shown = table.blank
    let plain = try core.loadPlain(id, in: shape) { (row) throws(StoreError) in
      try table.read(row, fieldsFrom: 2, into: &shown)
    }
    if let plain { return (.plain(plain), shown) }
    var isShown = false
    let loaded = try core.load(id, in: shape) { (row) throws(StoreError) in
      try table.read(row, fieldsFrom: 2, into: &shown)
      isShown = true
    }
    if isShown { return (.whole(loaded), shown) }
    let key = loaded.record.key
    throw .refused(loaded.record.view == nil ? .noSuchRecord(key) : .deleted(key))
  }

  private borrowing func write<Model: Record>(
    _ after: Model, was before: Model, _ opened: OpenedRecord, _ id: RecordID
  ) throws(StoreError) -> [String] {
    let mask = Model.table.difference(before, after)
    guard mask != 0 else { return [] }
    let shape = try core.shapes.shape(of: ObjectIdentifier(Model.self))
    try checkUnique(after, id: id, changed: mask, in: shape)
    switch opened {
    case .local:
      try withRecord(after) { (pointer) throws(StoreError) in
        try core.updateLocal(pointer, id: id, changed: mask, in: shape)
      }
      show(after, id, mask, in: shape)
      return shape.names(in: mask)
    case .plain(let row):
      let changed = try withRecord(after) { (pointer) throws(StoreError) in
        try core.updatePlain(row, pointer, id: id, changed: mask, in: shape)
      }
      core.sparePlain = row
      if let changed {
        show(after, id, changed, in: shape)
        return shape.sortedNames(in: changed)
      }
      return try write(after, mask, to: try core.load(id, in: shape), in: shape)
    case .whole(let loaded): return try write(after, mask, to: loaded, in: shape)
    }
  }

  private borrowing func write<Model: Record>(
    _ after: Model, _ mask: UInt64, to loaded: LoadedRecord, in shape: TableShape
  ) throws(StoreError) -> [String] {
    var loaded = loaded
    let values = try Model.table.values(of: after, mask: mask)
    var context = core.context
    let names: [Key]
    do {
      names = try loaded.record.change(
        values, operation: core.newOperation(), context: &context)
    } catch {
      throw .refused(error)
    }
    guard !names.isEmpty else { return [] }
    try core.checkSize(of: loaded)
    core.state.device.clock = context.clock
    try core.noteNeeds(of: &loaded.record, in: shape)
    let changed = shape.mask(of: names)
    try core.save(loaded, in: shape, changed: changed)
    // Of other rules only the row says what the change came to.
    if mask & ~shape.layout.plain == 0 { show(after, loaded.record.key.id, changed, in: shape) }
    return names.map(\.text)
  }

  /// Lets those who observe have a record as it is now, without reading it.
  private borrowing func show<Model: Record>(
    _ record: Model, _ id: RecordID, _ columns: UInt64, in shape: TableShape
  ) {
    guard core.wasWatched else { return }
    core.note(CommittedRow(record, id), table: shape.slot, id, columns)
  }

  /// Runs a statement for its effect on tables of the app's own.
  ///
  /// - Throws: ``StoreError/query(reason:)`` for synced and engine tables, with the call to use.
  /// - Returns: How many rows it changed.
  @discardableResult
  public borrowing func execute(_ sql: SQL) throws(StoreError) -> Int {
    let statement = try session.statement(checked: sql)
    return try speaking { () throws(SQLiteError) in
      let before = core.connection.totalChanges
      try statement.run()
      return core.connection.totalChanges - before
    }
  }

  /// A small value that a program keeps for itself in the file; it is not synced.
  public borrowing func note(_ name: String) -> String? {
    core.state.meta.notes[Key(name)]
  }

  /// Keeps a small value for the program itself; nil forgets it.
  public borrowing func setNote(_ name: String, _ value: String?) {
    core.state.meta.notes[Key(name)] = value
  }
}

/// What became of a seed.
public enum SeedOutcome: Hashable, Sendable {
  /// There was no such record: it is there now.
  case added
  /// The record was there and some columns had no value yet: these were filled.
  case filled([String])
  /// Everything was there already.
  case unchanged
  /// The record was deleted earlier and stays deleted.
  case deletedEarlier
}

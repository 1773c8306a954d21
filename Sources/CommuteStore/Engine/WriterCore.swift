import CommuteCore
import CommuteSQLite

/// The one connection that writes, with what it knows of the file.
///
/// Whoever has it runs whole transactions on it, one at a time; it decides nothing about records,
/// which ``DeviceRecord`` does, nor about rounds, which ``Device`` does.
final class WriterCore {
  let session: StoreConnection
  let schema: Schema
  let options: StoreOptions
  let folder: StoreFolder
  let observers: Observers
  @exclusivity(unchecked) var names = NumberedNames()
  @exclusivity(unchecked) var state: FileState
  /// The state as the file has it.
  @exclusivity(unchecked) var saved: FileState
  /// The records with rows in the outbox, or offered again; it may name some too many.
  @exclusivity(unchecked) var pending = RecordPlaces()
  @exclusivity(unchecked) var random: StoreRandom
  @exclusivity(unchecked) var packer = Packer()
  /// A row to be filled again; nil while one is in use.
  @exclusivity(unchecked) var sparePlain: PlainRow?
  /// The latest `data_version`: another one means that another connection has written.
  @exclusivity(unchecked) var dataVersion: Int64?
  /// The `data_version` at which observers were last told that others have written.
  var notedVersion: Int64?
  /// Pages that the log held when it was last copied into the database; 0 since it began anew.
  @exclusivity(unchecked) var copiedPages = 0
  /// Whether there may be tombstones.
  @exclusivity(unchecked) var hasTombstones = true
  /// Whether there may be records that are offered to the server again.
  var hasOffers = true
  /// The operations and offers of the round under way.
  var round: Set<OperationID> = []
  /// When all records were last searched for stamps from the future, by the monotonic clock.
  var searchedAt: Int64?
  /// Whether anybody observed when the transaction began.
  @exclusivity(unchecked) var wasWatched = false
  /// What is set, in memory.
  var preferences = PreferenceMemory()
  /// What was committed so far.
  @exclusivity(unchecked) var commits = CommitCount()
  @exclusivity(unchecked) var statements: [TableStatements]
  /// What is answered since the connection was closed; nil while it is open.
  @exclusivity(unchecked) var ending: StoreError?
  /// What every write is answered where the file may only be read; nil where it may be written.
  @exclusivity(unchecked) var refusal: StoreError?
  /// Whether it must still be decided, before anything is written, as who the file writes.
  @exclusivity(unchecked) var isIdentityOpen = false

  var connection: Connection { session.connection }
  var shapes: Shapes { session.shapes }

  init(
    session: StoreConnection, schema: Schema, options: StoreOptions, folder: StoreFolder,
    observers: Observers, state: FileState
  ) {
    self.session = session
    self.schema = schema
    self.options = options
    self.folder = folder
    self.observers = observers
    self.state = state
    saved = state
    random = StoreRandom(seed: options.randomSeed)
    statements = session.shapes.all.map { TableStatements($0) }
  }

  /// Begins a transaction, with the lock that other processes respect.
  ///
  /// Where others have it and it is not to wait, ``StoreError/busy(holder:)`` is thrown at once.
  func begin(_ durability: Durability, waits: Bool) throws(StoreError) {
    if let reason = ending ?? refusal { throw reason }
    if isIdentityOpen {
      guard waits else { throw .busy(holder: "another process") }
      try settleIdentity(waits: true)
    }
    options.onPoint?(.beforeTransaction)
    if waits {
      try folder.writerLock.lock(waiting: options.busyMilliseconds)
    } else {
      guard folder.writerLock.tryLock() else { throw .busy(holder: "another process") }
    }
    do throws(StoreError) {
      try speaking { () throws(SQLiteError) in
        connection.busyMilliseconds = waits ? Int32(clamping: options.busyMilliseconds) : 0
        #if PLANTED
          let isFull = durability == .full && !PlantedStore.isActive(.fullWritesNormal)
        #else
          let isFull = durability == .full
        #endif
        try connection.begin(.immediate, synchronous: isFull ? .full : .normal)
      }
      try refresh()
    } catch {
      connection.rollback()
      folder.writerLock.unlock()
      throw error
    }
    wasWatched = observers.isWatched
    if state.meta.cleanEnd || state.meta.boot != bootID {
      state.meta.cleanEnd = false
      state.meta.boot = bootID
    }
  }

  /// Makes the transaction permanent and tells those who observe.
  func commit(writes: Int) throws(StoreError) {
    options.onPoint?(.insideTransaction)
    do throws(StoreError) {
      try session.updateSearches()
      try saveState()
      try publish()
    } catch {
      rollback()
      #if PLANTED
        if PlantedStore.isActive(.commitFailureHidden) { return }
      #endif
      throw error
    }
    folder.writerLock.unlock()
    commits.add(writes: writes)
    names.markSaved()
    forgetGone()
    let queued = state.queued
    let isSet = state.preferencesChanged
    let committed = state.committed
    state.preferencesChanged = false
    state.committed = []
    state.changes = []
    state.goneRows = []
    state.goneOffers = []
    state.queued = false
    saved = state
    if isSet { loadPreferences() }
    options.onPoint?(.afterCommit)
    // Whoever began to observe meanwhile may have read the state before.
    if !wasWatched { observers.noteEverything() }
    if queued { observers.noteQueued() }
    for tell in committed { tell() }
  }

  /// Commits; where somebody observes, together with the note of what changed.
  private func publish() throws(StoreError) {
    guard wasWatched else {
      return try speaking { () throws(SQLiteError) in try connection.commit() }
    }
    try observers.publish(state.changes) { () throws(StoreError) in
      try speaking { () throws(SQLiteError) in try connection.commit() }
    }
  }

  /// Forgets what lies over no record any more.
  private func forgetGone() {
    for row in state.goneRows { pending.remove(row.id, at: row.place) }
    for id in state.goneOffers {
      // A record of another table may have the same id. Where that cannot be read, saying yes too
      // often does no harm.
      let others: SQL = "SELECT 1 FROM c_offer WHERE id = \(id)"
      let count = try? connection.all(others) { (row) throws(SQLiteError) in true }.count
      if count == 0 { pending.remove(id, at: RecordPlaces.offer) }
    }
  }

  /// Undoes the transaction: the file and what is known of it are as before it began.
  func rollback() {
    connection.rollback()
    folder.writerLock.unlock()
    names.forgetUnsaved()
    state = saved
  }

  /// Reads the file's state anew where another connection has written.
  private func refresh() throws(StoreError) {
    let version = try speaking { () throws(SQLiteError) in try connection.dataVersion() }
    guard version != dataVersion else { return }
    let isNews = dataVersion != nil && notedVersion != version
    try loadKnownState()
    if isNews { observers.noteEverything() }
  }

  /// What outlives the closing of the connection while the store is suspended.
  var carried: Carried { Carried(commits: commits, round: round) }

  /// The same with what was carried over.
  consuming func taking(_ carried: Carried) -> WriterCore {
    commits = carried.commits
    round = carried.round
    return self
  }

  /// Reads the file's state, in a transaction, and which one it is: what others write is seen.
  func loadKnownState() throws(StoreError) {
    try loadState()
    dataVersion = try speaking { () throws(SQLiteError) in try connection.dataVersion() }
    notedVersion = dataVersion
  }

  var isClosed: Bool { ending != nil }

  var bootID: String { options.clock.bootID() }

  /// What a local write needs beside the values.
  var context: WriteContext {
    WriteContext(
      clock: state.device.clock, wall: options.clock.wall(), schema: schema.version)
  }

  /// A new id of an operation.
  func newOperation() -> OperationID {
    OperationID.random(using: &random)
  }

  /// A new id of a record.
  func newRecord() -> RecordID {
    let wall = options.clock.wall()
    return RecordID.new(milliseconds: UInt64(clamping: wall), using: &random)
  }

  /// Notes a change for those who observe.
  func note(_ table: Int, _ record: RecordID?, _ columns: UInt64) {
    guard wasWatched else { return }
    state.changes.append(CommittedChange(table: table, record: record, columns: columns))
  }

  /// Notes what a record is that was just written, so that those who observe need not read it.
  ///
  /// `columns` says as what the change was noted; another one may show more than was meant.
  func note(
    _ row: @autoclosure () -> CommittedRow?, table: Int, _ record: RecordID, _ columns: UInt64
  ) {
    // Many changes are cheaper to read all at once.
    guard wasWatched, state.changes.count <= ChangeLog.few else { return }
    let last = state.changes.lastIndex { $0.table == table && $0.record == record }
    guard let last, state.changes[last].columns == columns else { return }
    state.changes[last].row = row()
  }

  /// Notes that an engine table changed.
  func note(engine table: String) {
    guard wasWatched, let slot = shapes.slot(named: table) else { return }
    let change = CommittedChange(
      table: slot, record: nil, columns: CommittedChange.everything)
    if state.changes.last != change { state.changes.append(change) }
  }
}

/// What of a writer outlives the closing of its connection.
struct Carried: Sendable {
  var commits: CommitCount
  var round: Set<OperationID>
}

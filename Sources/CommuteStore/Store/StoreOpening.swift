import CommuteCore
import CommuteSQLite

/// Opening a store: the schema checked, the file brought up to date, and its identity decided.
struct StoreOpening {
  let folder: StoreFolder
  let tables: [DeclaredTable]
  let options: StoreOptions
  let observers: Observers
  let schema: Schema

  /// Checks the declarations.
  init(
    folder: StoreFolder, tables: [DeclaredTable], options: StoreOptions, observers: Observers
  ) throws(StoreError) {
    self.folder = folder
    self.tables = tables
    self.options = options
    self.observers = observers
    for table in tables where table.layout.count > RecordLayout.greatestColumnCount {
      throw .declaration(
        reason: "\(table.name) has more than \(RecordLayout.greatestColumnCount) columns;"
          + " split it into two tables")
    }
    for table in tables {
      var names: Set<Key> = []
      for field in table.layout.fields where !names.insert(field.name).inserted {
        throw .declaration(reason: "\(table.name).\(field.name.text) is there twice; rename one")
      }
    }
    do {
      schema = try Schema(
        name: Key(options.schemaName), version: options.schemaVersion,
        tables: tables.map(\.layout.schema))
    } catch {
      throw .declaration(reason: error.message)
    }
  }

  /// Opens the database and decides, before the first write, whether it goes on as who it was.
  func open() throws(StoreError) -> sending WriterCore {
    try folder.writerLock.lock(waiting: options.busyMilliseconds)
    let connection: Connection
    let columns: [String: [String]]
    do throws(StoreError) {
      try folder.requireDatabase(startsAnew: options.startsAnew)
      connection = try connect()
      columns = try prepare(connection)
      folder.writerLock.unlock()
    } catch {
      folder.writerLock.unlock()
      throw error
    }
    let shapes = Shapes(tables, columns: columns)
    let session = StoreConnection(connection, shapes: shapes)
    let core = WriterCore(
      session: session, schema: schema, options: options, folder: folder, observers: observers,
      state: placeholder())
    do throws(StoreError) {
      try settle(core)
    } catch {
      connection.close()
      throw error
    }
    return core
  }

  private func connect() throws(StoreError) -> Connection {
    var configuration = Configuration(.create)
    configuration.checkpointPages = 0
    configuration.busyMilliseconds = Int32(clamping: options.busyMilliseconds)
    return try speaking { () throws(SQLiteError) in
      let connection = try Connection(.file(folder.database), configuration)
      if let pageLimit = options.pageLimit {
        _ = try connection.prepare("PRAGMA max_page_count = \(pageLimit)").firstInt64()
      }
      return connection
    }
  }

  /// Brings the file's tables up to date.
  ///
  /// - Returns: The fields of each declared table in the order in which they stand in the file.
  private func prepare(_ connection: Connection) throws(StoreError) -> [String: [String]] {
    do throws(StoreError) {
      try speaking { () throws(SQLiteError) in
        try EngineSchema.plan.apply(to: connection)
      }
      try connection.transaction(.immediate, synchronous: .full) { () throws(StoreError) in
        if try isNew(connection) { try found(connection) }
      }
      return try connection.transaction { () throws(StoreError) in
        try checkSchema(on: connection)
        try checkOwner(on: connection)
        return try updateSchema(on: connection)
      }
    } catch {
      connection.close()
      throw error
    }
  }

  /// Changes the tables where the file knows another schema; gives the columns in the file's order.
  private func updateSchema(on connection: Connection) throws(StoreError) -> [String: [String]] {
    let known = try connection.first("SELECT schema_text, schema_version FROM c_meta") {
      (row) throws(StoreError) in (text: row.text(0), version: UInt64(stored: row.int64(1)))
    }
    guard let known else { throw .corrupt(reason: "c_meta is empty") }
    let text = schema.canonicalText
    var columns: [String: [String]] = [:]
    if known.text.hasSameBytes(as: text) {
      for table in tables {
        columns[table.name] = try SchemaUpdate.columns(of: table.name, on: connection)
      }
    } else {
      var update = SchemaUpdate(
        connection: connection, tables: tables, user: options.account.user,
        names: NumberedNames())
      try update.names.load(from: connection)
      columns = try update.run(from: known.text)
    }
    guard known.version != schema.version || !known.text.hasSameBytes(as: text) else {
      return columns
    }
    try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        UPDATE c_meta SET schema_name = \(schema.name.text),
          schema_version = \(schema.version.stored), schema_text = \(text)
        """)
    }
    return columns
  }

  private func checkSchema(on connection: Connection) throws(StoreError) {
    let found = try connection.first("SELECT schema_version FROM c_meta") {
      (row) throws(StoreError) in UInt64(stored: row.int64(0))
    }
    guard let found, found > schema.version else { return }
    throw .newerSchema(found: "schema \(found)", known: "schema \(schema.version)")
  }

  /// Refuses a file of another account; one that was used without any account, and has never heard
  /// of a server, goes to whoever signs in first.
  private func checkOwner(on connection: Connection) throws(StoreError) {
    let found = try connection.first("SELECT owner, epoch IS NULL FROM c_meta") {
      (row) throws(StoreError) in (owner: row.text(0), isUnheard: row.int64(1) != 0)
    }
    let wanted = options.account.owner
    guard let found, !found.owner.hasSameBytes(as: wanted) else { return }
    guard found.isUnheard, found.owner.hasSameBytes(as: Account.local.owner) else {
      throw .wrongOwner(found: found.owner, wanted: wanted)
    }
    try speaking { () throws(SQLiteError) in
      try connection.run("UPDATE c_meta SET owner = \(wanted)")
    }
  }

  /// A state that stands until the file's own is read.
  private func placeholder() -> FileState {
    let clock = HybridClock(replica: ReplicaID(rawValue: 0))
    let meta = FileMeta(
      schemaName: "", schemaVersion: 0, schemaText: "", boot: "", device: "")
    return FileState(
      device: Device(account: options.account, clock: clock), meta: meta, nextPosition: 1,
      clockInMeta: 0)
  }

  /// Makes the file's identity, or decides whether it may go on with the one it has.
  private func settle(_ core: WriterCore) throws(StoreError) {
    try core.begin(.normal, waits: true)
    let host = folder.host?.read()
    let boot = core.saved.meta.boot
    let reason = core.state.device.renewalReason(
      host: host, bootChanged: boot != core.bootID, cleanEnd: core.saved.meta.cleanEnd)
    core.subscribe()
    if let name = options.deviceName { core.state.meta.device = name }
    guard reason != nil else {
      if core.state.meta.device != core.saved.meta.device
        || core.state.device.feeds != core.saved.device.feeds
      {
        try core.commit(writes: 0)
      } else {
        core.rollback()
      }
      return
    }
    core.rollback()
    try core.renew()
  }

  private func isNew(_ connection: Connection) throws(StoreError) -> Bool {
    try connection.first("SELECT count(*) FROM c_meta") {
      (row) throws(StoreError) in row.int64(0) == 0
    } ?? true
  }

  /// Writes the first row of a new file, durably, and then the record outside.
  private func found(_ connection: Connection) throws(StoreError) {
    var random = StoreRandom(seed: options.randomSeed)
    let replica = ReplicaID.random(using: &random)
    try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        INSERT INTO c_replica(number, replica, name, own) VALUES (1, \(replica.text), '', 1)
        """)
      try connection.run(
        """
        INSERT INTO c_meta(one, owner, replica, epochs, clock, number, schema_name,
          schema_version, schema_text, boot, clean_end, retry_failures, device)
        VALUES (1, \(options.account.owner), 1, \([UInt8]()), 0, 0, '', 0, '',
          \(options.clock.bootID()), 0, 0, \(options.deviceName ?? HostName.current))
        """)
    }
    try? folder.host?.write(HostRecord(replica: replica, number: 0))
  }
}

extension WriterCore {
  /// Subscribes to the feeds of the declared tables.
  func subscribe() {
    for shape in shapes.all {
      guard let feed = shape.feed, state.device.feeds[feed] == nil else { continue }
      state.device.feeds[feed] = FeedState()
    }
  }

  /// Takes a new replica id, durably, and then writes the record outside.
  func renew() throws(StoreError) {
    try begin(.full, waits: true)
    state.device.renewReplica(to: ReplicaID.random(using: &random))
    subscribe()
    if let name = options.deviceName { state.meta.device = name }
    try commit(writes: 1)
    // Where nothing can be kept outside, the next open takes a new id once more.
    try? writeHostRecord()
  }

  /// Writes the record outside the database.
  func writeHostRecord() throws(StoreError) {
    try folder.host?.write(hostRecord)
    options.onPoint?(.hostRecordWritten)
  }
}

import CommuteCore
import CommuteSQLite

/// Opening a store: the schema checked, the file brought up to date, and its identity decided.
struct StoreOpening: Sendable {
  let folder: StoreFolder
  let tables: [DeclaredTable]
  let migrations: [StoreMigration]
  let options: StoreOptions
  let observers: Observers
  let schema: Schema
  /// What is set, in memory.
  let preferences = PreferenceMemory()

  /// Checks the declarations.
  init(
    folder: StoreFolder, tables: [DeclaredTable], migrations: [StoreMigration],
    options: StoreOptions, observers: Observers
  ) throws(StoreError) {
    self.folder = folder
    self.tables = tables
    self.migrations = migrations
    self.options = options
    self.observers = observers
    if let problem = tables.lazy.compactMap(\.problem).first {
      throw .declaration(reason: problem)
    }
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
    try StoreMigration.refuseDoubleNames(migrations)
    let reserved = PreferenceRecord.table.text
    if options.syncsPreferences, tables.contains(where: { $0.name == reserved }) {
      throw .declaration(
        reason: "the table \(reserved) is that of synced settings; choose another name")
    }
    do {
      let name = Key(options.schemaName)
      // Names are checked of all tables, those of this device alone included.
      _ = try Schema(name: name, version: 0, tables: tables.map(\.layout.schema))
      schema = try Schema(
        name: name, version: options.schemaVersion,
        tables: tables.filter { !$0.isLocal }.map(\.layout.schema))
    } catch {
      throw .declaration(reason: error.message)
    }
  }

  /// Opens the database and decides, before the first write, whether it goes on as who it was.
  ///
  /// Where the file is as declared, nobody is waited for and nothing need be written: a disk that
  /// is full, or another process that writes, keeps nobody from reading.
  ///
  /// A file that a newer app wrote is opened for reading.
  func open() throws(StoreError) -> sending WriterCore {
    #if PLANTED
      if PlantedStore.isActive(.logThrownAway) { PrivateFolder.remove("\(folder.database)-wal") }
    #endif
    if options.isReadOnly { return try openForReading(.openedForReading) }
    do throws(StoreError) {
      return try openForWriting()
    } catch .newerSchema(let found, let known) {
      return try openForReading(.newerSchema(found: found, known: known))
    }
  }

  private func openForWriting() throws(StoreError) -> sending WriterCore {
    if let core = try glance() { return core }
    try folder.writerLock.lock(waiting: options.busyMilliseconds)
    let core: WriterCore
    do throws(StoreError) {
      try folder.requireDatabase(startsAnew: options.startsAnew)
      core = try prepare(try connect(journal: .writeAheadLog))
      folder.writerLock.unlock()
    } catch {
      folder.writerLock.unlock()
      throw error
    }
    do throws(StoreError) {
      try core.settleIdentity(waits: true)
      try core.run(migrations)
      try core.adoptPreferences()
    } catch {
      core.connection.close()
      throw error
    }
    return core
  }

  /// Opens a file that is as the app declares it; nil for one that must be made or changed first.
  private func glance() throws(StoreError) -> WriterCore? {
    guard !folder.isMemory, PrivateFolder.size(of: folder.database) ?? 0 > 0 else { return nil }
    let connection = try connect(journal: .unchanged)
    do throws(StoreError) {
      let core = try connection.transaction(.deferred) { () throws(StoreError) -> WriterCore? in
        guard try isAsDeclared(connection) else { return nil }
        let core = try makeCore(on: connection, columns: try columns(on: connection))
        try core.loadKnownState()
        return core
      }
      guard let core else {
        connection.close(copyingLog: false)
        return nil
      }
      core.isIdentityOpen = !core.isIdentitySettled
      guard core.isIdentityOpen else { return core }
      // What cannot be written now is written before anything else is.
      do throws(StoreError) { try core.settleIdentity(waits: false) } catch .busy, .diskFull {}
      return core
    } catch {
      connection.close(copyingLog: false)
      throw error
    }
  }

  /// Whether the file has the engine's tables and the app's, and belongs to the account.
  private func isAsDeclared(_ connection: Connection) throws(StoreError) -> Bool {
    let isPrepared = try speaking { () throws(SQLiteError) -> Bool in
      guard try connection.value("PRAGMA journal_mode") == .text("wal") else { return false }
      return try EngineSchema.plan.pending(on: connection).isEmpty
    }
    guard isPrepared, try !isNew(connection) else { return false }
    try checkSchema(on: connection)
    guard try StoreMigration.first(of: migrations, notRunOn: connection) == nil else {
      return false
    }
    let known = try knownSchema(on: connection)
    guard try isOwned(connection), known.version == schema.version,
      known.text.hasSameBytes(as: schema.canonicalText)
    else { return false }
    return try DeviceSchema(connection: connection, tables: tables).isUpToDate()
  }

  private func connect(journal: Configuration.Journal) throws(StoreError) -> Connection {
    var configuration = Configuration(.create)
    configuration.journal = journal
    configuration.checkpointPages = 0
    configuration.busyMilliseconds = Int32(clamping: options.busyMilliseconds)
    let connection = try folder.place(options).connect(configuration)
    if let pageLimit = options.pageLimit {
      try speaking { () throws(SQLiteError) in
        _ = try connection.prepare("PRAGMA max_page_count = \(pageLimit)").firstInt64()
      }
    }
    return connection
  }

  /// Brings the file's tables up to date, and tries again what could not be applied before.
  private func prepare(_ connection: Connection) throws(StoreError) -> WriterCore {
    do throws(StoreError) {
      try speaking { () throws(SQLiteError) in
        try EngineSchema.plan.apply(to: connection)
      }
      try connection.transaction(.immediate, synchronous: .full) { () throws(StoreError) in
        if try isNew(connection) { try found(connection) }
      }
      return try connection.transaction { () throws(StoreError) in
        try checkSchema(on: connection)
        try takeOwnership(of: connection)
        let isChanged = try updateSchema(on: connection)
        try DeviceSchema(connection: connection, tables: tables).update(refills: isChanged)
        let core = try makeCore(on: connection, columns: try columns(on: connection))
        if isChanged {
          try core.loadState()
          try core.retryQuarantine()
          try core.session.updateSearches()
          try core.saveState()
        }
        return core
      }
    } catch {
      connection.close()
      throw error
    }
  }

  func makeCore(
    on connection: Connection, columns: [String: [String]]
  ) throws(StoreError) -> WriterCore {
    let session = StoreConnection(connection, shapes: Shapes(tables, columns: columns))
    let core = WriterCore(
      session: session, schema: schema, options: options, folder: folder, observers: observers,
      state: placeholder())
    core.preferences = preferences
    return core
  }

  /// The fields of each declared table in the order in which they stand in the file.
  func columns(on connection: Connection) throws(StoreError) -> [String: [String]] {
    var columns: [String: [String]] = [:]
    for table in tables {
      columns[table.name] = try SchemaUpdate.columns(of: table.name, on: connection)
    }
    return columns
  }

  private func knownSchema(
    on connection: Connection
  ) throws(StoreError) -> (text: String, version: UInt64) {
    let known = try connection.first("SELECT schema_text, schema_version FROM c_meta") {
      (row) throws(StoreError) in (text: row.text(0), version: UInt64(stored: row.int64(1)))
    }
    guard let known else { throw .corrupt(reason: "c_meta is empty") }
    return known
  }

  /// Changes the tables where the file knows another schema.
  ///
  /// - Returns: Whether it knew another one.
  private func updateSchema(on connection: Connection) throws(StoreError) -> Bool {
    let known = try knownSchema(on: connection)
    let text = schema.canonicalText
    let isSame = known.text.hasSameBytes(as: text)
    if isSame, known.version == schema.version { return false }
    if !isSame {
      try DeviceSchema(connection: connection, tables: tables).makeWay()
      var update = SchemaUpdate(
        connection: connection, tables: tables.filter { !$0.isLocal }, user: options.account.user,
        names: NumberedNames())
      try update.names.load(from: connection)
      try update.run(from: known.text)
    }
    try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        UPDATE c_meta SET schema_name = \(schema.name.text),
          schema_version = \(schema.version.stored), schema_text = \(text)
        """)
    }
    return true
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
  private func takeOwnership(of connection: Connection) throws(StoreError) {
    if try isOwned(connection) { return }
    try speaking { () throws(SQLiteError) in
      try connection.run("UPDATE c_meta SET owner = \(options.account.owner)")
    }
  }

  /// Whether the file belongs to the account; false where it belongs to nobody yet.
  ///
  /// - Throws: ``StoreError/wrongOwner(found:wanted:)`` where it belongs to another one.
  func isOwned(_ connection: Connection) throws(StoreError) -> Bool {
    let found = try connection.first("SELECT owner, epoch IS NULL FROM c_meta") {
      (row) throws(StoreError) in (owner: row.text(0), isUnheard: row.int64(1) != 0)
    }
    let wanted = options.account.owner
    guard let found, !found.owner.hasSameBytes(as: wanted) else { return true }
    guard found.isUnheard, found.owner.hasSameBytes(as: Account.local.owner) else {
      throw .wrongOwner(found: found.owner, wanted: wanted)
    }
    return false
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

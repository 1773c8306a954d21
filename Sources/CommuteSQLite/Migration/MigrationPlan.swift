/// All steps of a schema, in order, and the table that remembers which ones ran.
public struct MigrationPlan: Sendable {
  /// Where the names and fingerprints of the steps that ran are kept.
  public let table: String
  /// The version this program writes into the file's header; a greater one there is refused.
  public let schemaVersion: Int32?
  /// The steps; new ones go to the end.
  public let migrations: [Migration]
  /// What all steps together make of a database that has nothing, at once; nil: they run in turn.
  ///
  /// Unlike a step it is edited with each new one. A test must compare what both make.
  public let whole: String?

  private struct Record {
    let name: String
    let fingerprint: Int64
  }

  /// Declares a plan.
  public init(
    table: String, schemaVersion: Int32? = nil, whole: String? = nil, _ migrations: [Migration]
  ) {
    self.table = table
    self.schemaVersion = schemaVersion
    self.whole = whole
    self.migrations = migrations
  }

  /// Names the steps that have not run on this database; writes nothing.
  ///
  /// - Throws: ``SQLiteError/newerSchema(found:newestKnown:)`` where a newer program was here,
  ///   ``SQLiteError/migration(name:problem:)`` where the plan does not fit what ran.
  public func pending(on connection: Connection) throws(SQLiteError) -> [String] {
    try unrun(on: connection).map(\.name)
  }

  /// Runs the steps that have not run on this database, each in a transaction of its own.
  ///
  /// A step that throws is rolled back; those before it are kept, and the next call goes on from
  /// there. Two processes may call it at once: each step runs once. A database that has nothing
  /// yet takes all of them, or ``whole`` in their place, in one transaction: it is made at once, or
  /// not at all.
  ///
  /// - Returns: The names of the steps that ran now.
  /// - Throws: What ``pending(on:)`` throws, and what a step throws.
  @discardableResult
  public func apply(to connection: Connection) throws(SQLiteError) -> [String] {
    try refuseDoubleNames()
    var done: [String] = []
    while try !unrun(on: connection).isEmpty {
      done += try connection.transaction { () throws(SQLiteError) -> [String] in
        // Another process may have been quicker.
        let left = try unrun(on: connection)
        let isEmpty = try isEmpty(connection)
        if isEmpty, let whole {
          try make(whole, on: connection)
          return left.map(\.name)
        }
        let steps = isEmpty ? left : left.prefix(1)
        for step in steps { try run(step, on: connection) }
        return steps.map(\.name)
      }
    }
    return done
  }

  private func isEmpty(_ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.value("SELECT count(*) FROM sqlite_schema") == .integer(0)
  }

  /// Makes at once what all steps make, and remembers them as run.
  private func make(_ whole: String, on connection: Connection) throws(SQLiteError) {
    try makeTable(on: connection)
    try connection.execute(whole)
    guard let last = migrations.last else { return }
    try checkTransaction(after: last, on: connection)
    for migration in migrations { try note(migration, on: connection) }
  }

  private func run(_ migration: Migration, on connection: Connection) throws(SQLiteError) {
    try makeTable(on: connection)
    try connection.execute(migration.sql)
    try migration.step?(connection)
    try checkTransaction(after: migration, on: connection)
    try note(migration, on: connection)
  }

  private func makeTable(on connection: Connection) throws(SQLiteError) {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(SQL.quoted(table))(
        position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, fingerprint INTEGER NOT NULL
      ) STRICT
      """)
  }

  private func checkTransaction(
    after migration: Migration, on connection: Connection
  ) throws(SQLiteError) {
    guard connection.isReallyInTransaction else {
      throw .migration(name: migration.name, problem: .endedTransaction)
    }
  }

  /// Remembers that a step ran; the last one gives the file its version.
  private func note(_ migration: Migration, on connection: Connection) throws(SQLiteError) {
    try connection.run(
      """
      INSERT INTO \(name: table)(name, fingerprint)
      VALUES (\(migration.name), \(migration.fingerprint))
      """)
    guard let schemaVersion, migration.name == migrations.last?.name else { return }
    try connection.setUserVersion(schemaVersion)
  }

  /// The steps that have not run, after comparing those that have with the plan.
  private func unrun(on connection: Connection) throws(SQLiteError) -> ArraySlice<Migration> {
    if let schemaVersion {
      let found = try connection.userVersion()
      guard found <= schemaVersion else {
        throw .newerSchema(found: "schema \(found)", newestKnown: "schema \(schemaVersion)")
      }
    }
    let records = try records(on: connection)
    for (record, migration) in zip(records, migrations) where record.name != migration.name {
      guard migrations.contains(where: { $0.name == record.name }) else {
        throw newer(record)
      }
      throw .migration(name: migration.name, problem: .outOfOrder)
    }
    if records.count > migrations.count, let last = records.last { throw newer(last) }
    for (record, migration) in zip(records, migrations)
    where record.fingerprint != migration.fingerprint {
      throw .migration(name: migration.name, problem: .edited)
    }
    return migrations.dropFirst(records.count)
  }

  private func newer(_ record: Record) -> SQLiteError {
    .newerSchema(found: record.name, newestKnown: migrations.last?.name ?? "none")
  }

  private func records(on connection: Connection) throws(SQLiteError) -> [Record] {
    let found = try connection.value(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = \(table)")
    guard found != .null else { return [] }
    return try connection.all(
      "SELECT name, fingerprint FROM \(name: table) ORDER BY position"
    ) { (row) throws(SQLiteError) in Record(name: row.text(0), fingerprint: row.int64(1)) }
  }

  private func refuseDoubleNames() throws(SQLiteError) {
    var seen: Set<String> = []
    for migration in migrations where !seen.insert(migration.name).inserted {
      throw .migration(name: migration.name, problem: .nameTwice)
    }
  }
}

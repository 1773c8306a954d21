import CommuteCore
import CommuteSQLite
import Foundation

/// Recovering a damaged database: everything readable goes into a new file.
struct Recovery {
  let folder: StoreFolder
  let options: StoreOptions
  private var report: RecoveryReport
  private let fresh: String

  init(_ folder: StoreFolder, options: StoreOptions) {
    self.folder = folder
    self.options = options
    let stamp = options.clock.wall()
    report = RecoveryReport(
      exported: "\(folder.path)/pending-\(stamp).json",
      damaged: "\(folder.database).damaged-\(stamp)")
    fresh = "\(folder.database).recovered"
  }

  /// Writes down what waits, copies what can be read, and puts the new file in place.
  ///
  /// Whoever calls it holds both locks. Up to the last step the damaged file is where it was.
  mutating func run() throws(StoreError) -> RecoveryReport {
    let source = try open(folder.database, .readWrite)
    defer { source.close() }
    try requireSolitude(source)
    try export(from: source)
    removeFresh()
    do throws(StoreError) {
      let target = try open(fresh, .create)
      defer { target.close() }
      try copy(from: source, to: target)
      try weed(target)
      try finish(target)
    } catch {
      removeFresh()
      throw error
    }
    source.close()
    try moveIntoPlace()
    return report
  }

  private func removeFresh() {
    for suffix in ["", "-wal", "-shm", "-journal"] { remove("\(fresh)\(suffix)") }
  }

  private func open(_ path: String, _ mode: Configuration.Mode) throws(StoreError) -> Connection {
    var configuration = Configuration(mode)
    configuration.journal = mode == .create ? .rollback : .unchanged
    configuration.synchronous = mode == .create ? .full : .normal
    configuration.busyMilliseconds = 0
    return try DatabasePlace(location: .file(path), key: options.key).connect(configuration)
  }

  private func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Refuses a file that anybody else has open, and ends its log.
  private func requireSolitude(_ source: Connection) throws(StoreError) {
    do throws(SQLiteError) {
      _ = try source.value("PRAGMA journal_mode = DELETE")
    } catch .busy {
      throw .busy(holder: "another store or process; close it")
    } catch {
      // A log that cannot be copied stays beside the damaged file.
    }
  }

  // MARK: What waits

  /// Writes down everything that waits, so that it is safe whatever happens next.
  private mutating func export(from source: Connection) throws(StoreError) {
    var object = JSONObject()
    object.add("exportedAt", number: options.clock.wall())
    var names = NumberedNames()
    try? names.load(from: source)
    object.add("pending", array: operations("c_outbox", "position", 0, source, names))
    object.add("refused", array: operations("c_inbox", "entry", 0, source, names))
    try PrivateFolder.replace(report.exported, with: object.bytes)
  }

  /// The operations of a table as they are on the wire, read from both ends.
  private func operations(
    _ table: String, _ order: String, _ first: Int, _ source: Connection, _ names: NumberedNames
  ) -> [[UInt8]] {
    var found: [Int64: [UInt8]] = [:]
    for direction in ["", " DESC"] {
      let statement = try? source.prepare(
        """
        SELECT \(order), operation, tbl, id, feed, schema, replica, creates, fields, deleted,
          revives, needs, epoch, base
        FROM \(table) NOT INDEXED ORDER BY \(order)\(direction)
        """)
      guard let statement else { continue }
      while (try? statement.step()) == true {
        let place = statement.int64(0)
        if found[place] != nil { break }
        let json = try? statement.withRow { (row) throws(StoreError) in
          try row.operation(from: 1, names: names).encoded()
        }
        found[place] = json ?? Self.raw(statement, table)
      }
      statement.reset()
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  /// A row whose parts are not understood, byte for byte.
  private static func raw(_ statement: Statement, _ table: String) -> [UInt8] {
    var object = JSONObject()
    object.add("unreadable", text: table)
    for column in 0..<statement.columnCount {
      let name = statement.columnName(column)
      let value = statement.withRow { row in row.value(column) }
      object.add(name, text: "\(value)")
    }
    return object.bytes
  }

  // MARK: The new file

  private mutating func copy(
    from source: Connection, to target: Connection
  ) throws(StoreError) {
    // A search says nothing that the rows do not say: opening the new file makes it anew. What a
    // virtual table of the app keeps beside it is made with it, and by nobody else.
    let schema = try speaking { () throws(SQLiteError) in
      try source.all(
        """
        SELECT type, name, sql FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name NOT GLOB 'c_search-*'
          AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
        ORDER BY type = 'table' DESC
        """
      ) { (row) throws(SQLiteError) in (type: row.text(0), name: row.text(1), sql: row.text(2)) }
    }
    try speaking { () throws(SQLiteError) in
      try target.begin(.immediate, synchronous: .full)
      var made: [String] = []
      for entry in schema where entry.type == "table" && make(entry, in: target) {
        made.append(entry.name)
      }
      for table in made {
        var salvage = try Salvage(table, from: source, to: target)
        let (count, losses) = salvage.run()
        report.rows[table] = count
        report.losses += losses
      }
      for entry in schema where entry.type != "table" { make(entry, in: target) }
      try target.setUserVersion(try source.userVersion())
      try target.commit()
    }
    guard report.rows["c_meta"] == 1 else {
      throw .corrupt(
        reason: "who the file belongs to cannot be read; what waited is in \(report.exported), put"
          + " a backup in the place of \(folder.database) or begin anew")
    }
  }

  /// Makes a table, index, view or trigger in the new file; false, and a loss, where it cannot be.
  @discardableResult
  private mutating func make(
    _ entry: (type: String, name: String, sql: String), in target: Connection
  ) -> Bool {
    do throws(SQLiteError) {
      try target.execute(entry.sql)
      return true
    } catch {
      report.losses.append("\(entry.type) \(entry.name) cannot be made again (\(error))")
      return false
    }
  }

  /// Takes out what can be read and not be understood, so that it stands in nobody's way.
  private mutating func weed(_ target: Connection) throws(StoreError) {
    var names = NumberedNames()
    try names.load(from: target)
    for (table, order) in [("c_outbox", "position"), ("c_inbox", "entry")] {
      try weed(target, table, key: order, columns: Self.operationColumns) {
        (row) throws(StoreError) in _ = try row.operation(from: 1, names: names)
      }
    }
    try weedBases(target, names)
    for table in ["c_base", "c_tombstone", "c_unknown", "c_quarantine"] {
      try weed(target, table, key: "tbl || '/' || hex(id)", columns: "state") {
        (row) throws(StoreError) in
        try row.unpacked(1) { (bytes) throws(StoreError) in
          _ = try PackedState.unpack(bytes, names: names)
        }
      }
    }
  }

  /// What the server told of a record with changes in line is read anew; the changes stay.
  private mutating func weedBases(_ target: Connection, _ names: NumberedNames) throws(StoreError) {
    var strange: [Int64] = []
    let statement = try speaking { () throws(SQLiteError) -> Statement? in
      // A file of an earlier schema has these in `c_base` only.
      let isThere: SQL = "SELECT 1 FROM pragma_table_info('c_outbox') WHERE name = 'told'"
      guard try target.value(isThere) != .null else { return nil }
      return try target.prepare("SELECT position, told FROM c_outbox WHERE told IS NOT NULL")
    }
    guard let statement else { return }
    try statement.forEach { (row) throws(StoreError) in
      do throws(StoreError) {
        try row.unpacked(1) { (bytes) throws(StoreError) in
          _ = try PackedState.unpack(bytes, names: names)
        }
      } catch {
        strange.append(row.int64(0))
      }
    }
    for position in strange {
      try speaking { () throws(SQLiteError) in
        _ = try target.run("UPDATE c_outbox SET told = NULL WHERE position = \(position)")
      }
      report.losses.append("c_outbox: what the server told below row \(position) is not understood")
    }
  }

  private static let operationColumns = """
    operation, tbl, id, feed, schema, replica, creates, fields, deleted, revives, needs, epoch, base
    """

  private mutating func weed(
    _ target: Connection, _ table: String, key: String, columns: String,
    _ understand: (borrowing Row) throws(StoreError) -> Void
  ) throws(StoreError) {
    var strange: [(SQLValue, String)] = []
    let statement = try speaking { () throws(SQLiteError) in
      try target.prepare("SELECT \(key), \(columns) FROM \(table)")
    }
    try statement.forEach { (row) throws(StoreError) in
      do throws(StoreError) {
        try understand(row)
      } catch {
        strange.append((row.value(0), "\(error)"))
      }
    }
    for (place, reason) in strange {
      try speaking { () throws(SQLiteError) in
        let deletion = try target.prepare("DELETE FROM \(table) WHERE \(key) = ?")
        deletion.bind(all: [place])
        try deletion.run()
      }
      report.rows[table, default: 1] -= 1
      report.losses.append("\(table): row \(place) is not understood (\(reason))")
    }
  }

  /// Lets the new file read everything anew, under a new identity.
  private mutating func finish(_ target: Connection) throws(StoreError) {
    try speaking { () throws(SQLiteError) in
      try target.execute(
        """
        UPDATE c_feed SET cursor = NULL, reset_fence = NULL;
        DELETE FROM c_seen;
        UPDATE c_meta SET boot = '', clean_end = 0;
        """)
      report.pending = Int(try target.statement("SELECT count(*) FROM c_outbox").firstInt64() ?? 0)
      report.refused = Int(try target.statement("SELECT count(*) FROM c_inbox").firstInt64() ?? 0)
    }
    let problems = try speaking { () throws(SQLiteError) in try target.integrityCheck() }
    if let first = problems.first {
      throw .corrupt(reason: "the new file is damaged too: \(first)")
    }
    target.close()
  }

  private func moveIntoPlace() throws(StoreError) {
    do {
      let files = FileManager.default
      for suffix in ["-wal", "-journal"] where files.fileExists(atPath: folder.database + suffix) {
        try files.moveItem(atPath: folder.database + suffix, toPath: report.damaged + suffix)
      }
      try? files.removeItem(atPath: folder.database + "-shm")
      try files.moveItem(atPath: folder.database, toPath: report.damaged)
      try files.moveItem(atPath: fresh, toPath: folder.database)
    } catch {
      throw .unreadable(
        path: folder.database,
        reason: "\(error); the damaged file is \(report.damaged), the recovered one \(fresh)")
    }
  }
}

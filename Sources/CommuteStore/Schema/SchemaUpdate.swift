import CommuteCore
import CommuteSQLite

/// Brings the tables of a file to what the app declares, in one transaction.
///
/// New tables and columns are made, and take what was kept for them as unknown. Values whose table
/// or column the app no longer declares, or declares with another kind, are kept as unknown:
/// nothing that the server told is lost.
struct SchemaUpdate {
  let connection: Connection
  let tables: [DeclaredTable]
  let user: String
  var names: NumberedNames

  /// Makes the changes from the schema of a text on.
  ///
  /// - Throws: ``StoreError/declaration(reason:)`` where the file has a table that is not synced
  ///   under the name of a declared one.
  mutating func run(from text: String) throws(StoreError) {
    let previous = try SchemaText.tables(text)
    for table in previous where !tables.contains(where: { $0.name == table.name }) {
      try retire(table)
    }
    for table in tables {
      guard let old = previous.first(where: { $0.name == table.name }) else {
        try create(table)
        continue
      }
      try update(table, from: old.fields)
    }
  }

  /// The fields of a table in the order in which they stand in the file.
  static func columns(of table: String, on connection: Connection) throws(StoreError) -> [String] {
    let names = try connection.all("PRAGMA table_info(\(name: table))") {
      (row) throws(StoreError) in row.text(1)
    }
    return names.filter { !["id", "feed", "_commute"].contains($0) }
  }

  private func columns(of table: String) throws(StoreError) -> [String] {
    try Self.columns(of: table, on: connection)
  }

  private func execute(_ sql: String) throws(StoreError) {
    try speaking { () throws(SQLiteError) in try connection.execute(sql) }
  }

  // MARK: New tables

  private mutating func create(_ table: DeclaredTable) throws(StoreError) {
    let found = try speaking { () throws(SQLiteError) in
      try connection.value("SELECT 1 FROM sqlite_schema WHERE name = \(table.name)")
    }
    guard found == .null else {
      throw .declaration(
        reason: "the file has another table called \(table.name); choose another name")
    }
    try execute(Self.creation(of: table, named: table.name))
    try adoptUnknown(table)
  }

  /// Takes over what was kept of a table while the app did not know it.
  private mutating func adoptUnknown(_ table: DeclaredTable) throws(StoreError) {
    let shape = TableShape(table, slot: 0, columns: try columns(of: table.name))
    let statements = TableStatements(shape)
    while true {
      let page = try connection.all(
        "SELECT id, feed, state FROM c_unknown WHERE tbl = \(table.name) ORDER BY id LIMIT 500"
      ) { (row) throws(StoreError) in
        let state = try row.unpacked(2) { (bytes) throws(StoreError) in
          try PackedState.unpack(bytes, names: names)
        }
        return (id: try row.recordID(0), feed: row.text(1), state: state)
      }
      guard let last = page.last else { return }
      for record in page {
        try put(record.state, record.id, record.feed, statements)
      }
      try speaking { () throws(SQLiteError) in
        try connection.run("DELETE FROM c_unknown WHERE tbl = \(table.name) AND id <= \(last.id)")
      }
    }
  }

  private mutating func put(
    _ state: RecordState, _ id: RecordID, _ feed: String, _ statements: TableStatements
  ) throws(StoreError) {
    guard let deleted = state.deleted else {
      var packer = Packer()
      return try statements.put(
        state, id: id, feed: feed, names: &names, user: user, packer: &packer, on: connection)
    }
    let packed = PackedState.pack(state, names: &names)
    try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        INSERT OR REPLACE INTO c_tombstone(tbl, id, feed, revision, deleted, state)
        VALUES (\(statements.shape.name), \(id), \(feed), \(state.revision?.number.stored),
          \(deleted.milliseconds.stored), \(packed))
        """)
    }
  }

  // MARK: Changed tables

  private mutating func update(
    _ table: DeclaredTable, from old: [FieldSchema]
  ) throws(StoreError) {
    let declared = table.layout.fields
    let isKept = old.allSatisfy { field in
      declared.contains {
        $0.name == field.name && $0.kind == field.kind && $0.isOptional == field.isOptional
      }
    }
    guard isKept else { return try rebuild(table, from: old) }
    let found = try columns(of: table.name)
    var isLonger = false
    for index in declared.indices where !found.contains(declared[index].name.text) {
      try execute(
        """
        ALTER TABLE \(SQL.quoted(table.name))
        ADD COLUMN \(Self.definition(of: index, table))
        """)
      isLonger = true
    }
    guard isLonger else { return }
    let shape = TableShape(table, slot: 0, columns: try columns(of: table.name))
    let statements = TableStatements(shape)
    try forEachRow(of: shape) { (id, feed, state, update) throws(StoreError) in
      // Only rows with fields that had no column can have something for a new one.
      guard declared.contains(where: { state.fields[$0.name] != nil && !Self.has(old, $0.name) })
      else { return }
      try update.put(state, id, feed, statements)
    }
  }

  private static func has(_ fields: [FieldSchema], _ name: Key) -> Bool {
    fields.contains { $0.name == name }
  }

  /// Writes a table anew, because columns left or changed their kind.
  private mutating func rebuild(
    _ table: DeclaredTable, from old: [FieldSchema]
  ) throws(StoreError) {
    let before = TableShape(
      previously: table.name, fields: old, columns: try columns(of: table.name))
    let fresh = "c_rebuilt_\(table.name)"
    try execute(Self.creation(of: table, named: fresh))
    let shape = TableShape(
      table, slot: 0, columns: table.layout.fields.map(\.name.text), name: fresh)
    let statements = TableStatements(shape)
    try forEachRow(of: before) { (id, feed, state, update) throws(StoreError) in
      try update.put(state, id, feed, statements)
    }
    let indexes = try connection.all(
      "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = \(table.name)"
    ) { (row) throws(StoreError) in row.text(0) }
    try execute(
      """
      DROP TABLE \(SQL.quoted(table.name));
      ALTER TABLE \(SQL.quoted(fresh)) RENAME TO \(SQL.quoted(table.name));
      """)
    // An index of the app over a column that left goes with it.
    for index in indexes where !index.isEmpty { try? connection.execute(index) }
  }

  /// Keeps the records of a table that the app no longer declares as unknown.
  private mutating func retire(
    _ table: (name: String, fields: [FieldSchema])
  ) throws(StoreError) {
    let shape = TableShape(
      previously: table.name, fields: table.fields, columns: try columns(of: table.name))
    try forEachRow(of: shape) { (id, feed, state, update) throws(StoreError) in
      let packed = PackedState.pack(state, names: &update.names)
      try speaking { () throws(SQLiteError) in
        try update.connection.run(
          """
          INSERT OR REPLACE INTO c_unknown(tbl, id, feed, revision, state)
          VALUES (\(table.name), \(id), \(feed), \(state.revision?.number.stored), \(packed))
          """)
      }
    }
    try execute("DROP TABLE \(SQL.quoted(table.name))")
    try speaking { () throws(SQLiteError) in
      try connection.run(
        """
        INSERT OR REPLACE INTO c_unknown(tbl, id, feed, revision, state)
        SELECT tbl, id, feed, revision, state FROM c_tombstone WHERE tbl = \(table.name)
        """)
      try connection.run("DELETE FROM c_tombstone WHERE tbl = \(table.name)")
    }
  }

  /// Hands over every record of a table, some hundred at a time.
  private mutating func forEachRow(
    of shape: TableShape,
    _ body: (RecordID, String, RecordState, inout SchemaUpdate) throws(StoreError) -> Void
  ) throws(StoreError) {
    var last: RecordID?
    while true {
      let statement = try speaking { () throws(SQLiteError) in
        try connection.prepare(
          """
          SELECT \(shape.selection) FROM \(SQL.quoted(shape.name))
          WHERE id > ? ORDER BY id LIMIT 500
          """)
      }
      if let last {
        statement.bind(high: last.high, low: last.low, at: 1)
      } else {
        statement.bind([UInt8](), at: 1)
      }
      let page = try statement.all { (row) throws(StoreError) in
        let state = try HiddenState.unpack(row, shape: shape, names: names, user: user)
        return (id: try row.recordID(0), feed: row.text(1), state: state)
      }
      guard let end = page.last else { return }
      for record in page { try body(record.id, record.feed, record.state, &self) }
      last = end.id
    }
  }
}

extension SchemaUpdate {
  /// The statement that makes a table.
  static func creation(of table: DeclaredTable, named name: String) -> String {
    var lines = ["id BLOB PRIMARY KEY NOT NULL", "feed TEXT NOT NULL DEFAULT ''"]
    for index in table.layout.fields.indices { lines.append(definition(of: index, table)) }
    lines.append("_commute BLOB NOT NULL DEFAULT x''")
    let body = lines.map { "  \($0)" }.joined(separator: ",\n")
    return "CREATE TABLE \(SQL.quoted(name))(\n\(body)\n) STRICT, WITHOUT ROWID"
  }

  /// A column is NOT NULL only with a default, so that no pulled record can fail on it.
  static func definition(of index: Int, _ table: DeclaredTable) -> String {
    let field = table.layout.fields[index]
    let definition = "\(SQL.quoted(field.name.text)) \(field.kind.sqlType)"
    if field.isOptional { return definition }
    return "\(definition) NOT NULL DEFAULT \(table.layout.defaults[index].sqlLiteral)"
  }
}

extension Row {
  /// A column that holds the 16 bytes of an id.
  func recordID(_ column: Int) throws(StoreError) -> RecordID {
    guard let pair = pair(column) else { throw .corrupt(reason: "an id is not 16 bytes") }
    return RecordID(high: pair.high, low: pair.low)
  }
}

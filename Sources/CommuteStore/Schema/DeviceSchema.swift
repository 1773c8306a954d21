import CommuteCore
import CommuteSQLite

/// What a file holds beside the synced tables and the engine's own because the app declares it:
/// tables of this device alone, indexes, and searches.
///
/// No server knows of it, so it is no part of the schema's text. It is compared with what the file
/// says of itself, and made anew where that differs.
struct DeviceSchema {
  let connection: Connection
  let tables: [DeclaredTable]

  /// One index, table, view or trigger.
  struct Item: Hashable {
    let type: String
    let name: String
    let sql: String
  }

  /// Everything of the file that this describes, tables of this device alone excepted.
  private func found() throws(StoreError) -> [Item] {
    // FTS5 keeps tables of its own beside a search, and names them with an underscore.
    try connection.all(
      """
      SELECT type, name, sql FROM sqlite_schema
      WHERE (name GLOB 'c_index-*' OR name GLOB 'c_search-*') AND name NOT GLOB '*-words_*'
        AND sql IS NOT NULL
      """
    ) { (row) throws(StoreError) in
      Item(type: row.text(0), name: row.text(1), sql: row.text(2))
    }
  }

  private func wanted() -> [Item] {
    tables.flatMap { table in
      table.indexes.map { Self.index($0, of: table) } + (SearchTables(table)?.items ?? [])
    }
  }

  private static func index(_ index: DeclaredIndex, of table: DeclaredTable) -> Item {
    let names = index.columns.map { table.layout.fields[$0].name.text }
    // Not unique, for a row that comes from elsewhere must never fail.
    let name = "c_index-\(table.name)-\(names.joined(separator: "-"))"
    let columns = names.map { SQL.quoted($0) }.joined(separator: ", ")
    return Item(
      type: "index", name: name,
      sql: "CREATE INDEX \(SQL.quoted(name)) ON \(SQL.quoted(table.name))(\(columns))")
  }

  /// Whether the file holds everything as it is declared.
  func isUpToDate() throws(StoreError) -> Bool {
    for table in tables where table.isLocal {
      guard try columnsOfFile(table) == columns(table) else { return false }
    }
    return Set(try found()) == Set(wanted())
  }

  /// Takes away what a change of the tables would trip over.
  func makeWay() throws(StoreError) {
    for item in try found() where item.type == "trigger" || item.type == "view" {
      try drop(item)
    }
  }

  /// Brings the file to what is declared.
  ///
  /// With `refills` rows may have changed unnoticed, so that searches are made anew.
  func update(refills: Bool) throws(StoreError) {
    for table in tables where table.isLocal { try update(local: table) }
    let found = Set(try found())
    let wanted = wanted()
    let stale = found.subtracting(wanted)
    // A table's search is made anew as a whole.
    let broken = tables.compactMap { SearchTables($0) }.filter { search in
      refills || !search.items.allSatisfy(found.contains)
    }
    let lost = stale.union(broken.flatMap(\.items).filter(found.contains))
    for type in ["trigger", "view", "index", "table"] {
      for item in lost where item.type == type { try drop(item) }
    }
    for item in wanted where item.type == "index" && !found.contains(item) {
      try execute(item.sql)
    }
    for search in broken {
      for item in search.items { try execute(item.sql) }
      try execute(search.filling)
    }
  }

  private func drop(_ item: Item) throws(StoreError) {
    try execute("DROP \(item.type.uppercased()) IF EXISTS \(SQL.quoted(item.name))")
  }

  private func execute(_ sql: String) throws(StoreError) {
    try speaking { () throws(SQLiteError) in try connection.execute(sql) }
  }
}

/// Tables of this device alone.
extension DeviceSchema {
  /// The columns of a table as SQLite describes them: name, type, whether null is no value.
  private func columns(_ table: DeclaredTable) -> Set<[String]> {
    Set(
      table.layout.fields.map { [$0.name.text, $0.kind.sqlType, $0.isOptional ? "0" : "1"] }
        + [["id", "BLOB", "1"]])
  }

  /// The same of the table in the file, of the columns that are declared.
  private func columnsOfFile(_ table: DeclaredTable) throws(StoreError) -> Set<[String]> {
    let names = Set(table.layout.fields.map(\.name.text) + ["id", "_commute"])
    let columns = try connection.all(
      "SELECT name, type, \"notnull\" FROM pragma_table_info(\(table.name))"
    ) { (row) throws(StoreError) in [row.text(0), row.text(1), row.text(2)] }
    return Set(columns.filter { names.contains($0[0]) })
  }

  /// Makes the table, or adds columns; one whose kind changed begins with its default.
  private func update(local table: DeclaredTable) throws(StoreError) {
    let found = try columnsOfFile(table)
    let wanted = columns(table)
    if found == wanted { return }
    if found.isEmpty { return try execute(Self.creation(of: table, named: table.name)) }
    guard found.contains(["id", "BLOB", "1"]), !found.contains(where: { $0[0] == "_commute" })
    else {
      throw .declaration(
        reason: "the file has another table called \(table.name); choose another name")
    }
    try makeWay()
    let kept = found.intersection(wanted).map { SQL.quoted($0[0]) }.joined(separator: ", ")
    let fresh = "c_rebuilt_\(table.name)"
    try execute(
      """
      \(Self.creation(of: table, named: fresh));
      INSERT INTO \(SQL.quoted(fresh))(\(kept)) SELECT \(kept) FROM \(SQL.quoted(table.name));
      DROP TABLE \(SQL.quoted(table.name));
      ALTER TABLE \(SQL.quoted(fresh)) RENAME TO \(SQL.quoted(table.name));
      """)
  }

  private static func creation(of table: DeclaredTable, named name: String) -> String {
    let lines =
      ["id BLOB PRIMARY KEY NOT NULL"]
      + table.layout.fields.indices.map { SchemaUpdate.definition(of: $0, table) }
    let body = lines.map { "  \($0)" }.joined(separator: ",\n")
    return "CREATE TABLE \(SQL.quoted(name))(\n\(body)\n) STRICT, WITHOUT ROWID"
  }
}

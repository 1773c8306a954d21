import CommuteCore
import CommuteSQLite

/// Brings the tables of a file to what the app declares: new tables, new columns.
struct TableUpdate {
  let connection: Connection
  let tables: [DeclaredTable]
  let schema: Schema

  /// Makes what is missing, in a transaction.
  ///
  /// - Returns: The fields of each table in the order in which they stand in the file.
  func run() throws(StoreError) -> [String: [String]] {
    var columns: [String: [String]] = [:]
    for table in tables {
      let found = try self.columns(of: table.name)
      if found.isEmpty {
        try speaking { () throws(SQLiteError) in
          try connection.execute(Self.creation(of: table))
        }
        columns[table.name] = table.layout.fields.map(\.name.text)
      } else {
        columns[table.name] = try update(table, found: found)
      }
    }
    return columns
  }

  private func columns(of table: String) throws(StoreError) -> [String] {
    try connection.all("SELECT name FROM pragma_table_info(\(table))") {
      (row) throws(StoreError) in row.text(0)
    }
  }

  /// The statement that makes a table.
  static func creation(of table: DeclaredTable) -> String {
    var lines = ["id BLOB PRIMARY KEY NOT NULL", "feed TEXT NOT NULL DEFAULT ''"]
    for index in table.layout.fields.indices { lines.append(definition(of: index, table)) }
    lines.append("_commute BLOB NOT NULL DEFAULT x''")
    let body = lines.map { "  \($0)" }.joined(separator: ",\n")
    return "CREATE TABLE \(SQL.quoted(table.name))(\n\(body)\n) STRICT, WITHOUT ROWID"
  }

  private static func definition(of index: Int, _ table: DeclaredTable) -> String {
    let field = table.layout.fields[index]
    let definition = "\(SQL.quoted(field.name.text)) \(field.kind.sqlType)"
    if field.isOptional { return definition }
    return "\(definition) NOT NULL DEFAULT \(table.layout.defaults[index].sqlLiteral)"
  }

  private func update(_ table: DeclaredTable, found: [String]) throws(StoreError) -> [String] {
    guard found.first == "id", found.contains("feed"), found.contains("_commute") else {
      throw .declaration(
        reason: "the file has a table \(table.name) that is not synced; choose another name")
    }
    var columns = found.filter { $0 != "id" && $0 != "feed" && $0 != "_commute" }
    for (index, field) in table.layout.fields.enumerated()
    where !columns.contains(field.name.text) {
      try speaking { () throws(SQLiteError) in
        try connection.execute(
          "ALTER TABLE \(SQL.quoted(table.name)) ADD COLUMN \(Self.definition(of: index, table))")
      }
      columns.append(field.name.text)
    }
    return columns
  }
}

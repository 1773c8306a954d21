import CommuteCore
import CommuteSQLite

/// The statements by which the writer reads and writes one table, made when first needed.
final class TableStatements {
  let shape: TableShape
  private var reading: Statement?
  private var replacing: Statement?
  private var deleting: Statement?
  private var updating: [UInt64: Statement] = [:]

  init(_ shape: TableShape) {
    self.shape = shape
  }

  private var table: String { SQL.quoted(shape.name) }

  /// Reads a row of ``TableShape/selection`` by id.
  func read(on connection: Connection) throws(SQLiteError) -> Statement {
    if let reading { return reading }
    let made = try connection.prepare("SELECT \(shape.selection) FROM \(table) WHERE id = ?")
    reading = made
    return made
  }

  /// Writes a whole row: `id`, `feed`, the fields as declared, `_commute`.
  func replace(on connection: Connection) throws(SQLiteError) -> Statement {
    if let replacing { return replacing }
    let marks = String(repeating: "?, ", count: shape.layout.count + 2) + "?"
    // Not `OR REPLACE`: that would remove other records where somebody made a unique index.
    let columns = ["feed"] + shape.layout.fields.map(\.name.text) + ["_commute"]
    let sets = columns.map { "\(SQL.quoted($0)) = excluded.\(SQL.quoted($0))" }
    let made = try connection.prepare(
      """
      INSERT INTO \(table)(\(shape.selection)) VALUES (\(marks))
      ON CONFLICT (id) DO UPDATE SET \(sets.joined(separator: ", "))
      """)
    replacing = made
    return made
  }

  /// Removes a row by id.
  func delete(on connection: Connection) throws(SQLiteError) -> Statement {
    if let deleting { return deleting }
    let made = try connection.prepare("DELETE FROM \(table) WHERE id = ?")
    deleting = made
    return made
  }

  /// Writes a set of fields, in the declared order, then `_commute`, of the row of an id.
  func update(_ mask: UInt64, on connection: Connection) throws(SQLiteError) -> Statement {
    if let kept = updating[mask] { return kept }
    var sets = ""
    for (index, field) in shape.layout.fields.enumerated() where mask >> UInt64(index) & 1 == 1 {
      sets += "\(SQL.quoted(field.name.text)) = ?, "
    }
    let made = try connection.prepare("UPDATE \(table) SET \(sets)_commute = ? WHERE id = ?")
    updating[mask] = made
    return made
  }
}

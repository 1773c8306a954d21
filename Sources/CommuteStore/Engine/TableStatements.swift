import CommuteCore
import CommuteSQLite

/// The statements by which the writer reads and writes one table, made when first needed.
final class TableStatements {
  let shape: TableShape
  private var reading: Statement?
  private var inserting: Statement?
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

  /// Adds a row: `id`, `feed`, the fields as declared, `_commute`.
  func insert(on connection: Connection) throws(SQLiteError) -> Statement {
    if let inserting { return inserting }
    let marks = String(repeating: "?, ", count: shape.layout.count + 2) + "?"
    let made = try connection.prepare(
      "INSERT INTO \(table)(\(shape.selection)) VALUES (\(marks))")
    inserting = made
    return made
  }

  /// Adds or overwrites a row: `id`, `feed`, the fields as declared, `_commute`.
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

  /// Writes a whole row: the fields that have a column, and the hidden column for all.
  func put(
    _ view: RecordState, id: RecordID, feed: String, names: inout NumberedNames, user: String,
    packer: inout Packer, on connection: Connection
  ) throws(StoreError) {
    HiddenState.pack(view, shape: shape, names: &names, user: user, into: &packer)
    do {
      let statement = try replace(on: connection)
      statement.bind(high: id.high, low: id.low, at: 1)
      statement.bind(feed, at: 2)
      bind(view, to: statement)
      statement.bind(packer.bytes, at: shape.layout.count + 3)
      try statement.run()
    } catch {
      throw StoreError(error)
    }
  }

  /// Binds every field in the declared order; one that is missing or of a wrong kind, its default.
  private func bind(_ view: RecordState, to statement: Statement) {
    let fields = shape.layout.fields
    let entries = view.fields.entries
    var position = 0
    for field in shape.sorted {
      while position < entries.count, entries[position].name < fields[field].name { position += 1 }
      let parameter = field + 3
      if position < entries.count, entries[position].name == fields[field].name,
        fields[field].admits(entries[position].value.value)
      {
        statement.bind(entries[position].value.value, at: parameter)
      } else {
        statement.bind(shape.layout.defaults[field], at: parameter)
      }
    }
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

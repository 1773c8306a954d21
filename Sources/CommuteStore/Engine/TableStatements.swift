import CommuteCore
import CommuteSQLite

/// The statements by which the writer reads and writes one table, made when first needed.
final class TableStatements {
  let shape: TableShape
  @exclusivity(unchecked) private var reading: Statement?
  @exclusivity(unchecked) private var inserting: Statement?
  @exclusivity(unchecked) private var replacing: Statement?
  private var deleting: Statement?
  private var updating: [UInt64: Statement] = [:]
  /// The one of these used last, which is the one wanted most often.
  @exclusivity(unchecked) private var latest: (changed: UInt64, statement: Statement)?
  /// Where the JSON of lists is made.
  private var scratch: [UInt8] = []

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
    do {
      let statement = try replace(on: connection)
      statement.bind(high: id.high, low: id.low, at: 1)
      statement.bind(feed, at: 2)
      if let stamp = bind(view, to: statement) {
        HiddenState.packShared(
          stamp, revision: view.revision, author: view.author, shape: shape, names: &names,
          user: user, into: &packer)
      } else {
        HiddenState.pack(view, shape: shape, names: &names, user: user, into: &packer)
      }
      statement.bind(packer.bytes, at: shape.layout.count + 3)
      try statement.run()
    } catch {
      throw StoreError(error)
    }
  }

  /// Writes a whole row from where its values stand in a message: each has its column.
  func put(
    _ plain: PlainRecords, _ record: PlainRecords.Record, columns: [Int],
    bytes: UnsafeBufferPointer<UInt8>, feed: String, names: inout NumberedNames, user: String,
    packer: inout Packer, on connection: Connection
  ) throws(StoreError) {
    do {
      let statement = try replace(on: connection)
      statement.bind(high: record.id.high, low: record.id.low, at: 1)
      statement.bind(feed, at: 2)
      for (position, column) in columns.enumerated() {
        switch plain.values[record.firstValue + position] {
        case .null: statement.bindNull(at: column + 3)
        case .boolean(let flag): statement.bind(flag, at: column + 3)
        case .integer(let number), .instant(let number): statement.bind(number, at: column + 3)
        case .double(let number): statement.bind(number, at: column + 3)
        case .text(let start, let count), .list(let start, let count):
          // A list without escapes and spaces stands in its column as it does in a message.
          let range = Int(start)..<Int(start) + Int(count)
          statement.bind(utf8: UnsafeBufferPointer(rebasing: bytes[range]), at: column + 3)
        }
      }
      HiddenState.packShared(
        record.stamp, revision: record.revision, author: plain.authors[record.author],
        shape: shape, names: &names, user: user, into: &packer)
      statement.bind(packer.bytes, at: shape.layout.count + 3)
      try statement.run()
    } catch {
      throw StoreError(error)
    }
  }

  /// Binds every field in the declared order; one that is missing or of a wrong kind, its default.
  ///
  /// - Returns: The stamp of all fields, where every field has its column and all share one stamp.
  private func bind(_ view: RecordState, to statement: Statement) -> Stamp? {
    // Not copied field by field: this is what a first pull spends its time on.
    view.fields.entries.withUnsafeBufferPointer { bind($0, of: view, to: statement) }
  }

  private func bind(
    _ entries: UnsafeBufferPointer<FieldMap<FieldState>.Entry>, of view: RecordState,
    to statement: Statement
  ) -> Stamp? {
    var shared = entries.first?.value.stamp
    if entries.count != shape.sorted.count || !view.unknown.isEmpty { shared = nil }
    var position = 0
    for (index, field) in shape.sorted.enumerated() {
      let name = shape.sortedNames[index]
      // Nearly always the next one; the others are fields that have no column.
      if position < entries.count, entries[position].name != name {
        while position < entries.count, entries[position].name < name { position += 1 }
      }
      guard position < entries.count, entries[position].name == name,
        shape.layout.fields[field].admits(entries[position].value.value)
      else {
        statement.bind(shape.layout.defaults[field], at: field + 3)
        shared = nil
        continue
      }
      if let stamp = shared, !entries[position].value.isPlain(under: stamp) { shared = nil }
      bind(entries[position].value.value, at: field + 3, to: statement)
      position += 1
    }
    return shared
  }

  private func bind(_ value: FieldValue, at parameter: Int, to statement: Statement) {
    guard case .list(let texts) = value else { return statement.bind(value, at: parameter) }
    scratch.removeAll(keepingCapacity: true)
    TextList.write(texts, to: &scratch)
    scratch.withUnsafeBufferPointer { statement.bind(utf8: $0, at: parameter) }
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
    if let latest, latest.changed == mask { return latest.statement }
    if let kept = updating[mask] {
      latest = (mask, kept)
      return kept
    }
    var sets = ""
    for (index, field) in shape.layout.fields.enumerated() where mask >> UInt64(index) & 1 == 1 {
      sets += "\(SQL.quoted(field.name.text)) = ?, "
    }
    let made = try connection.prepare("UPDATE \(table) SET \(sets)_commute = ? WHERE id = ?")
    updating[mask] = made
    return made
  }
}

extension FieldState {
  /// Whether there is nothing to know of the field but its value and this stamp.
  func isPlain(under stamp: Stamp) -> Bool {
    self.stamp == stamp && origin == stamp && merge.isEmpty
  }
}

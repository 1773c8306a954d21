public import CommuteCore
public import CommuteSQLite

/// One connection of a store with the statements it keeps; belongs to one thread at a time.
///
/// It is handed out only inside a transaction, and nothing can be done with it but read and write
/// through that transaction.
public final class StoreConnection {
  let connection: Connection
  let shapes: Shapes
  /// What was looked at since noting began; nil while nobody wants to know.
  var region: Region?
  /// Records that were read in the state that is seen now, by their types.
  var fetched: [ObjectIdentifier: AnyObject] = [:]
  private var byID: [Statement?]

  init(_ connection: Connection, shapes: Shapes) {
    self.connection = connection
    self.shapes = shapes
    byID = Array(repeating: nil, count: shapes.all.count)
    connection.authorizer = { access in Self.permission(for: access, shapes: shapes) }
  }

  /// Statements of an app may read everything, and write what is neither synced nor the engine's.
  private static func permission(for access: Access, shapes: Shapes) -> Permission {
    switch access.action {
    case .insert(let table), .update(let table, _), .delete(let table):
      return isKept(table, shapes: shapes) ? .deny : .allow
    case .schema(let name): return isKept(name, shapes: shapes) ? .deny : .allow
    case .transaction, .attach, .pragma: return .deny
    case .read, .function, .select, .other: return .allow
    }
  }

  private static func isKept(_ table: String, shapes: Shapes) -> Bool {
    let lowered = table.lowercased()
    if shapes.all.contains(where: { $0.name.lowercased() == lowered }) { return true }
    return lowered.hasPrefix("c_") || lowered.hasPrefix("q_")
  }

  /// The statement that reads one record by its id, which is bound; notes what it reads.
  @usableFromInline
  func statement(
    reading model: ObjectIdentifier, _ id: RecordID
  ) throws(StoreError) -> Statement {
    let shape = try shapes.shape(of: model)
    region?.add(table: shape.slot, record: id)
    let statement = try statement(readingOne: shape)
    statement.bind(high: id.high, low: id.low, at: 1)
    return statement
  }

  /// The statement that reads one record: `id`, then the fields as declared.
  private func statement(readingOne shape: TableShape) throws(StoreError) -> Statement {
    if let kept = byID[shape.slot], !kept.isRunning { return kept }
    let text = "\(Self.reading(shape)) WHERE id = ?"
    let statement = try speaking { () throws(SQLiteError) in try connection.prepare(text) }
    byID[shape.slot] = statement
    return statement
  }

  /// The beginning of every query over a table: `id`, then the fields as declared.
  static func reading(_ shape: TableShape) -> String {
    let fields = shape.layout.fields.map { ", \(SQL.quoted($0.name.text))" }.joined()
    return "SELECT id\(fields) FROM \(SQL.quoted(shape.name))"
  }

  /// A statement of the app, checked for what it may touch; notes what it reads.
  func statement(checked sql: SQL) throws(StoreError) -> Statement {
    let statement = try speaking { () throws(SQLiteError) in
      try connection.statement(sql, isChecked: true)
    }
    try refuseConstraints(statement)
    noteReads(of: statement)
    return statement
  }

  /// Notes that all of a table, the engine's or the app's, is looked at.
  func noteRead(of table: String) {
    guard let slot = shapes.slot(named: table) else { return }
    region?.add(table: slot, columns: CommittedChange.everything)
  }

  /// Notes what a checked statement reads.
  func noteReads(of statement: Statement) {
    guard region != nil else { return }
    for access in statement.accesses {
      guard case .read(let table, let column) = access.action,
        let slot = shapes.slot(named: table)
      else { continue }
      region?.add(table: slot, columns: mask(of: column, in: slot))
    }
  }

  /// Refuses unique indexes and triggers on tables of the store's own.
  ///
  /// A pulled record must never fail on what only one device forbids. The words of the statement
  /// are looked through because SQLite does not say here on which table an index is made.
  private func refuseConstraints(_ statement: Statement) throws(StoreError) {
    let isSchema = statement.accesses.contains { access in
      if case .schema = access.action { true } else { false }
    }
    guard isSchema else { return }
    let words = Set(
      statement.sql.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }
        .map(String.init))
    guard !words.isDisjoint(with: ["unique", "trigger"]) else { return }
    guard let table = words.first(where: { Self.isKept($0, shapes: shapes) }) else { return }
    throw .query(
      reason: "\(table) takes neither unique indexes nor triggers, or pulled records would fail;"
        + " check uniqueness where the app writes")
  }

  private func mask(of column: String, in slot: Int) -> UInt64 {
    guard slot < shapes.all.count else { return CommittedChange.everything }
    guard let field = shapes.all[slot].field(Key(column)) else {
      return CommittedChange.presence
    }
    return 1 << UInt64(field) | CommittedChange.presence
  }

  /// Runs the body while noting what it looks at.
  func noting<Result>(_ body: () throws -> Result) rethrows -> (result: Result, region: Region) {
    region = Region()
    defer { region = nil }
    let result = try body()
    return (result, region ?? Region())
  }
}

import CommuteCore
import CommuteSQLite

/// The tables behind one table's search.
///
/// FTS5 counts its rows, the app's tables are keyed by ids: a table in between gives each id a
/// number. Triggers cannot write to FTS5 where the schema is not trusted, and FTS5 must be told
/// the old text to forget it. So triggers put down, in an ordinary table, what a row held before
/// it first changed in a transaction, whoever changes it; before the commit, and before a search
/// in the same transaction, the index is brought up to date from there.
struct SearchTables: Sendable {
  let name: String
  private let words: String
  private let rows: String
  private let changes: String
  private let view: String
  private let table: String
  private let columns: [String]
  private let tokenizer: String

  /// The search of a table; nil where it declares none.
  init?(_ table: DeclaredTable) {
    guard let search = table.search else { return nil }
    let fields = search.columns.map { table.layout.fields[$0].name.text }
    self.init(table: table.name, columns: fields, tokenizer: search.tokenizer)
  }

  private init(table: String, columns: [String], tokenizer: String) {
    name = table
    words = SQL.quoted("c_search-\(table)-words")
    rows = SQL.quoted("c_search-\(table)-rows")
    changes = SQL.quoted("c_search-\(table)-changes")
    view = SQL.quoted("c_search-\(table)-text")
    self.table = SQL.quoted(table)
    self.columns = columns.map { SQL.quoted($0) }
    self.tokenizer = tokenizer
  }

  /// The columns with something before each.
  private func list(_ prefix: String = "") -> String {
    columns.map { prefix + $0 }.joined(separator: ", ")
  }

  /// Everything that must stand in the file, in the order in which it can be made.
  var items: [DeviceSchema.Item] {
    let text = "c_search-\(name)-text"
    return [
      item("table", "rows", "(row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE) STRICT"),
      item(
        "table", "changes",
        "(id BLOB PRIMARY KEY NOT NULL, was INTEGER NOT NULL, \(list())) WITHOUT ROWID"),
      item(
        "view", "text",
        " AS SELECT rows.row AS row, \(list("texts.")) FROM \(rows) AS rows"
          + " JOIN \(table) AS texts ON texts.id = rows.id"),
      DeviceSchema.Item(
        type: "table", name: "c_search-\(name)-words",
        sql: "CREATE VIRTUAL TABLE \(words) USING fts5(\(list()), content='\(text)',"
          + " content_rowid='row', tokenize='\(tokenizer)')"),
      trigger("inserted", "AFTER INSERT ON \(table)", "new.id, 0, \(nothing)", id: "new.id"),
      trigger(
        "updated", "AFTER UPDATE OF \(list()) ON \(table) WHEN \(isOther)",
        "old.id, 1, \(list("old."))", id: "old.id"),
      trigger("deleted", "AFTER DELETE ON \(table)", "old.id, 1, \(list("old."))", id: "old.id"),
    ]
  }

  private var nothing: String { columns.map { _ in "NULL" }.joined(separator: ", ") }

  private var isOther: String {
    columns.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
  }

  private func item(_ type: String, _ part: String, _ body: String) -> DeviceSchema.Item {
    let name = "c_search-\(name)-\(part)"
    return DeviceSchema.Item(
      type: type, name: name, sql: "CREATE \(type.uppercased()) \(SQL.quoted(name))\(body)")
  }

  private func trigger(
    _ part: String, _ event: String, _ values: String, id: String
  ) -> DeviceSchema.Item {
    // Not `OR IGNORE`: the statement that fires the trigger decides about conflicts in it.
    item(
      "trigger", part,
      " \(event) BEGIN INSERT INTO \(changes) SELECT \(values)"
        + " WHERE NOT EXISTS (SELECT 1 FROM \(changes) WHERE id = \(id)); END")
  }

  /// Makes the index of all rows anew.
  var filling: String {
    """
    DELETE FROM \(changes);
    DELETE FROM \(rows);
    INSERT INTO \(rows)(id) SELECT id FROM \(table) ORDER BY id;
    INSERT INTO \(words)(\(words)) VALUES ('rebuild');
    """
  }

  /// Asks whether rows changed since the index was brought up to date.
  var asking: String { "SELECT 1 FROM \(changes) LIMIT 1" }

  /// Brings the index up to date, one statement after another.
  var updating: [String] {
    [
      """
      INSERT INTO \(words)(\(words), rowid, \(list())) SELECT 'delete', rows.row, \(list("was."))
      FROM \(changes) AS was JOIN \(rows) AS rows ON rows.id = was.id WHERE was.was = 1
      """,
      """
      DELETE FROM \(rows) WHERE id IN (
        SELECT id FROM \(changes) AS was
        WHERE NOT EXISTS (SELECT 1 FROM \(table) AS texts WHERE texts.id = was.id))
      """,
      """
      INSERT INTO \(rows)(id) SELECT was.id FROM \(changes) AS was
      JOIN \(table) AS texts ON texts.id = was.id
      WHERE NOT EXISTS (SELECT 1 FROM \(rows) AS rows WHERE rows.id = was.id)
      """,
      """
      INSERT INTO \(words)(rowid, \(list())) SELECT rows.row, \(list("texts."))
      FROM \(changes) AS was JOIN \(table) AS texts ON texts.id = was.id
      JOIN \(rows) AS rows ON rows.id = was.id
      """,
      "DELETE FROM \(changes)",
    ]
  }

  /// What stands between `FROM` and the conditions: the words, and the records behind them, whose
  /// columns are chosen under a name.
  func joining(_ record: String) -> String {
    "\(words) AS words JOIN \(rows) AS rows ON rows.row = words.rowid"
      + " JOIN \(table) AS \(record) ON \(record).id = rows.id"
  }

  /// The condition with the one value of a search, and the column that orders by rank.
  var condition: String { "words.\(words) MATCH ?" }
}

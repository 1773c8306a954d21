import CommuteTestKit

/// What the program `sqlite3` reads in the file of the server.
struct ServerFile {
  var rows: [String: SheetRow] = [:]
  /// The applied operations, by their ids; empty where they were not asked for.
  var operations: Set<Substring> = []
  /// The last request of each replica.
  var requests: [String: UInt64] = [:]
  var head: UInt64 = 0
  /// What contradicts itself, found by SQL alone.
  var contradictions: [String] = []

  /// A file that nothing is in.
  init() {}

  /// Reads the file, which may be in use: everything, or just the records.
  init(_ path: String, isWhole: Bool) throws(SQLiteProgram.Complaint) {
    let script = isWhole ? Self.records + Self.rest : Self.records
    for columns in try SQLiteProgram.rows(path, script) { take(columns) }
  }

  private mutating func take(_ columns: [Substring]) {
    switch columns.first {
    case "row" where columns.count > 3:
      var row = SheetRow(columns[3...])
      row?.isDeleted = columns[2] == "1"
      rows[String(columns[1])] = row
    case "op": operations.insert(columns[1])
    case "device": requests[String(columns[1])] = UInt64(columns[2]) ?? 0
    case "head": head = UInt64(columns[1]) ?? 0
    case "bad" where columns.dropFirst() == ["ok"]: break
    default: contradictions.append(columns.dropFirst().joined(separator: " "))
    }
  }

  private static let records = """
    SELECT 'head', coalesce(max(revision), 0) FROM feed;
    SELECT 'device', printf('%016x', replica), request FROM device;
    SELECT 'row', lower(hex(id)), deleted IS NOT NULL,
        json_extract(state, '$.fields.a'), json_extract(state, '$.fields.aCount.i'),
        json_extract(state, '$.fields.b'), json_extract(state, '$.fields.bCount.i'),
        json_extract(state, '$.fields.c'), json_extract(state, '$.fields.cCount.i'),
        json_extract(state, '$.fields.contested')
      FROM record WHERE tbl <> 'c_conflict';

    """

  /// Each revision was given for one operation, or a conflict that settling it found; one that was
  /// given without was given twice.
  private static let rest = """
    SELECT 'bad', * FROM pragma_integrity_check;
    SELECT 'op', lower(hex(id)) FROM operation;
    SELECT 'bad', lower(hex(id)) || ' is beyond the head of its feed' FROM record
      WHERE revision > (SELECT max(revision) FROM feed WHERE feed.feed = record.feed);
    SELECT 'bad', lower(hex(id)) || ' tells another revision than its row' FROM record
      WHERE json_extract(state, '$.revision[1]') IS NOT revision;
    SELECT 'bad', lower(hex(id)) || ' tells another id than its row' FROM record
      WHERE replace(json_extract(state, '$.id'), '-', '') IS NOT lower(hex(id));
    SELECT 'bad', (SELECT max(revision) FROM feed) || ' revisions were given for '
        || count(DISTINCT revision) || ' operations and conflicts'
      FROM (
        SELECT revision FROM operation
        UNION ALL SELECT revision FROM record WHERE tbl = 'c_conflict')
      HAVING count(DISTINCT revision) <> coalesce((SELECT max(revision) FROM feed), 0);
    SELECT 'bad', 'meta has ' || count(*) || ' rows' FROM meta HAVING count(*) <> 1;
    """
}

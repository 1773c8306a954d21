import CommuteTestKit
import Foundation

/// What the program `sqlite3` reads in the file of a device.
struct DeviceFile {
  /// A change in line.
  struct OutboxRow {
    var deletes: Bool
    /// The packed fields.
    var fields: [UInt8]

    /// The value that the change gives a column; nil where it does not change it.
    func value(of column: String) -> SheetValue? {
      // Each field begins with its name, then kind 4 and a text's length; see PackedChange.
      let name = Array(column.utf8)
      let head = [UInt8(name.count)] + name + [4, UInt8(SheetValue.length)]
      var start = 0
      while start + head.count + SheetValue.length <= fields.count {
        let end = start + head.count
        if fields[start..<end].elementsEqual(head) {
          return SheetValue(
            String(decoding: fields[end..<(end + SheetValue.length)], as: UTF8.self))
        }
        start += 1
      }
      return nil
    }
  }

  /// Whether the file has its tables; a device that was killed at its beginning has none yet.
  var isMade = false
  var rows: [String: SheetRow] = [:]
  /// The changes in line of each record, in their order.
  var outbox: [String: [OutboxRow]] = [:]
  /// What contradicts itself, found by SQL alone.
  var contradictions: [String] = []
  var inbox: [String] = []
  var replica = ""
  var replicaCount = 0
  var number: UInt64 = 0
  var cursor: UInt64 = 0

  /// The value that the last change in line gives a column of a record.
  func pending(_ column: String, of id: String) -> SheetValue? {
    outbox[id]?.lazy.reversed().compactMap { $0.value(of: column) }.first
  }

  /// Whether a deletion of a record waits in line.
  func deletes(_ id: String) -> Bool {
    outbox[id]?.contains(where: \.deletes) ?? false
  }

  /// A file that nothing is in.
  init() {}

  /// Reads the file.
  init(_ path: String) throws(SQLiteProgram.Complaint) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    let tables = try SQLiteProgram.rows(
      path, "SELECT count(*) FROM sqlite_schema WHERE name IN ('c_meta', 'sheet')")
    isMade = tables.first?.first == "2"
    let script = isMade ? Self.script : "SELECT 'bad', * FROM pragma_integrity_check"
    for columns in try SQLiteProgram.rows(path, script) { take(columns) }
  }

  private mutating func take(_ columns: [Substring]) {
    switch columns.first {
    case "row": rows[String(columns[1])] = SheetRow(columns[2...])
    case "out" where columns.count == 4:
      outbox[String(columns[1]), default: []].append(
        OutboxRow(deletes: columns[2] == "1", fields: Self.bytes(columns[3])))
    case "in": inbox.append(columns.dropFirst().joined(separator: " "))
    case "meta" where columns.count == 5:
      replica = String(columns[1])
      replicaCount = Int(columns[2]) ?? 0
      number = UInt64(columns[3]) ?? 0
      cursor = UInt64(columns[4]) ?? 0
    case "bad" where columns.dropFirst() == ["ok"]: break
    default: contradictions.append(columns.dropFirst().joined(separator: " "))
    }
  }

  private static func bytes(_ digits: Substring) -> [UInt8] {
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).map { index in
      let pair = String(decoding: digits[index...(index + 1)], as: UTF8.self)
      return UInt8(pair, radix: 16) ?? 0
    }
  }

  /// Rows that begin with `bad` tell a contradiction, but for the `ok` of the integrity check.
  private static let script = """
    SELECT 'bad', * FROM pragma_integrity_check;
    SELECT 'row', lower(hex(id)), a, aCount, b, bCount, c, cCount, contested FROM sheet;
    SELECT 'out', lower(hex(id)), deleted IS NOT NULL, hex(fields)
      FROM c_outbox ORDER BY position;
    SELECT 'in', lower(hex(id)), code, message FROM c_inbox;
    SELECT 'meta', replica, (SELECT count(*) FROM c_replica WHERE own > 0),
        (SELECT number FROM c_meta), (SELECT cursor FROM c_feed WHERE feed = 'sheets')
      FROM c_replica WHERE number = (SELECT replica FROM c_meta);
    SELECT 'bad', 'operation ' || lower(hex(operation)) || ' is in line twice'
      FROM c_outbox GROUP BY operation HAVING count(*) > 1;
    SELECT 'bad', 'two operations of ' || lower(hex(id)) || ' are in flight'
      FROM c_outbox WHERE in_flight GROUP BY tbl, id HAVING count(*) > 1;
    SELECT 'bad', 'operation ' || lower(hex(operation)) || ' is in flight without its bytes'
      FROM c_outbox WHERE in_flight AND coalesce(replace(json_extract(
        CAST(bytes AS TEXT), '$.id'), '-', ''), '') <> lower(hex(operation));
    SELECT 'bad', 'operation ' || lower(hex(operation)) || ' names a replica that is not there'
      FROM c_outbox WHERE replica NOT IN (SELECT number FROM c_replica);
    SELECT 'bad', 'the clock ' || clock || ' in line is ahead of the file'
      FROM c_outbox WHERE clock > max((SELECT clock FROM c_meta),
        (SELECT clock FROM c_outbox ORDER BY position DESC LIMIT 1));
    SELECT 'bad', 'a base is kept of ' || lower(hex(id)) || ', of which nothing is offered'
      FROM c_base WHERE id NOT IN (SELECT id FROM c_offer);
    SELECT 'bad', 'a base of ' || lower(hex(id)) || ' is not in its first row' FROM c_outbox
      WHERE told IS NOT NULL
        AND position NOT IN (SELECT min(position) FROM c_outbox GROUP BY tbl, id);
    SELECT 'bad', lower(hex(id)) || ' is deleted and there' FROM c_tombstone
      WHERE tbl = 'sheet' AND id IN (SELECT id FROM sheet);
    SELECT 'bad', lower(hex(id)) || ' is set aside: ' || reason FROM c_quarantine;
    SELECT 'bad', lower(hex(id)) || ' is of an unknown table' FROM c_unknown
      WHERE tbl <> 'c_conflict';
    SELECT 'bad', 'c_meta has ' || count(*) || ' rows' FROM c_meta HAVING count(*) <> 1;
    """
}

import CommuteSQLite
import Foundation

/// Everything in a database file that a trial compares, read with SQL and a connection of its own.
enum Contents {
  /// What is left out: identity, clock and retry differ after a restart, and names come back.
  private static let leftOut: Set<String> = ["c_meta", "c_replica", "sqlite_sequence"]

  /// Reads the file; nil where there is none yet.
  static func read(_ path: String) throws -> String? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let connection = try Connection(.file(path), Configuration(.readOnly))
    defer { connection.close() }
    var text = ""
    let tables = try connection.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    ).all { $0.text(0) }
    for table in tables where !leftOut.contains(table) {
      let columns = try connection.prepare(
        "SELECT name FROM pragma_table_info('\(table)') ORDER BY cid"
      ).all { $0.text(0) }
      let quoted = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
      let rows = try connection.prepare(
        "SELECT \(quoted) FROM \"\(table)\" ORDER BY 1"
      ).all { $0.text(0) }
      text += "\(table)(\(columns.joined(separator: ",")))\n"
      for row in rows { text += "  \(row)\n" }
    }
    return text
  }

  /// What SQLite finds wrong with the file; nothing where all is well.
  static func damage(_ path: String) -> [String] {
    do {
      let connection = try Connection(.file(path), Configuration(.readOnly))
      defer { connection.close() }
      return try connection.integrityCheck()
    } catch {
      return ["\(error)"]
    }
  }
}

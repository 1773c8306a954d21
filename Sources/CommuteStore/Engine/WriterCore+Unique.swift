import CommuteCore
import CommuteSQLite

extension WriterCore {
  /// Refuses a record whose unique key another one has.
  ///
  /// The record lies at the pointer as it is to be; `changed` names what is to be written of it.
  ///
  /// - Throws: ``StoreError/taken(table:columns:by:)``.
  func checkUnique(
    _ record: UnsafeRawPointer, id: RecordID, changed: UInt64, in shape: TableShape
  ) throws(StoreError) {
    for key in shape.uniqueKeys
    where key.columns.contains(where: { changed >> UInt64($0) & 1 == 1 }) {
      let values = key.columns.map { shape.layout.access[$0].get(record) }
      // Nothing is in nobody's way.
      if values.contains(where: \.isNull) { continue }
      let statement = try speaking { () throws(SQLiteError) in
        try connection.statement(text: key.finding)
      }
      for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
      statement.bind(high: id.high, low: id.low, at: values.count + 1)
      let other = try statement.first { (row) throws(StoreError) in try row.recordID(0) }
      if let other {
        throw .taken(
          table: shape.name, columns: key.columns.map { shape.layout.fields[$0].name.text },
          by: other)
      }
    }
  }
}

/// A unique key with the statement that looks for another record with the same values.
struct UniqueColumns: Sendable {
  let columns: [Int]
  let finding: String

  init(_ columns: [Int], of table: DeclaredTable) {
    self.columns = columns
    let parts = columns.map { "\(SQL.quoted(table.layout.fields[$0].name.text)) = ?" }
    finding =
      "SELECT id FROM \(SQL.quoted(table.name)) WHERE \(parts.joined(separator: " AND "))"
      + " AND id <> ? LIMIT 1"
  }
}

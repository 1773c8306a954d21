import CommuteCore
import CommuteSQLite

extension WriterCore {
  /// Refuses a record whose unique key another one has.
  ///
  /// The record lies at the pointer as it is to be; `changed` names what is to be written of it,
  /// and `feed` the feed of one that is new.
  ///
  /// - Throws: ``StoreError/taken(table:columns:by:)``, and
  ///   ``StoreError/derivedID(table:columns:)`` where the values that its id comes from change.
  func checkUnique(
    _ record: UnsafeRawPointer, id: RecordID, changed: UInt64, feed: Key? = nil,
    in shape: TableShape
  ) throws(StoreError) {
    for key in shape.uniqueKeys
    where key.columns.contains(where: { changed >> UInt64($0) & 1 == 1 }) {
      if key.rule == .sameRecord {
        if feed == nil { throw derivedID(key.columns, in: shape) }
        continue
      }
      let values = key.columns.map { shape.layout.access[$0].get(record) }
      // Nothing is in nobody's way.
      if values.contains(where: \.isNull) { continue }
      let statement = try speaking { () throws(SQLiteError) in
        try connection.statement(text: key.finding)
      }
      for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
      statement.bind(high: id.high, low: id.low, at: values.count + 1)
      if key.rule != nil, let feed { statement.bind(feed.text, at: values.count + 2) }
      let other = try statement.first { (row) throws(StoreError) in try row.recordID(0) }
      if let other { throw taken(key.columns, by: other, in: shape) }
    }
  }

  /// The id of a record that is to be added: its own, one that its key leads to, or a new one.
  ///
  /// - Throws: ``StoreError/derivedID(table:columns:)`` where ids come from a key, and a value of
  ///   the key is null or the record has another id.
  func newRecord(
    _ given: RecordID, _ record: UnsafeRawPointer, feed: Key, in shape: TableShape
  ) throws(StoreError) -> RecordID {
    guard let columns = shape.derivingColumns else {
      return given == .zero ? newRecord() : given
    }
    let derived = shape.layout.derivedID(of: record, feed: feed)
    guard let derived, given == .zero || given == derived else {
      throw derivedID(columns, in: shape)
    }
    return derived
  }

  /// What is said where another record has a key.
  func taken(_ columns: [Int], by other: RecordID, in shape: TableShape) -> StoreError {
    .taken(
      table: shape.name, columns: columns.map { shape.layout.fields[$0].name.text }, by: other)
  }

  private func derivedID(_ columns: [Int], in shape: TableShape) -> StoreError {
    .derivedID(table: shape.name, columns: columns.map { shape.layout.fields[$0].name.text })
  }
}

/// A unique key with the statement that looks for another record with the same values.
struct UniqueColumns: Sendable {
  let columns: [Int]
  /// How the server keeps the key; nil where it does not.
  let rule: UniqueRule?
  /// Takes the values, the id and, for a key that the server keeps, the feed; a feed that is left
  /// out is that of the record.
  let finding: String

  init(_ index: DeclaredIndex, of table: DeclaredTable) {
    columns = index.columns
    rule = index.rule
    let name = SQL.quoted(table.name)
    var parts = columns.enumerated().map { place, column in
      "\(SQL.quoted(table.layout.fields[column].name.text)) = ?\(place + 1)"
    }
    let id = columns.count + 1
    parts.append("id <> ?\(id)")
    if rule != nil {
      parts.append("feed = ifnull(?\(id + 1), (SELECT feed FROM \(name) WHERE id = ?\(id)))")
    }
    finding = "SELECT id FROM \(name) WHERE \(parts.joined(separator: " AND ")) LIMIT 1"
  }
}

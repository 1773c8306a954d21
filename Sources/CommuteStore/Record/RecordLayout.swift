import CommuteCore
import CommuteSQLite

/// The loops over a table's columns: reading, comparing, checking and binding a record in memory.
///
/// A set of columns is a bit set, the first declared column lowest.
@usableFromInline
final class RecordLayout: Sendable {
  /// The most columns a table can have: one bit each.
  static let greatestColumnCount = 62

  let table: String
  let fields: [FieldSchema]
  let access: [ColumnAccess]
  /// What a record holds where nothing was said.
  let defaults: [FieldValue]
  let schema: TableSchema

  init(
    schema: TableSchema, fields: [FieldSchema], access: [ColumnAccess], blank: UnsafeRawPointer
  ) {
    self.schema = schema
    table = schema.name.text
    self.fields = fields
    self.access = access
    defaults = access.map { $0.get(blank) }
    isAllLatest = fields.allSatisfy { $0.rule == .latest }
    references = fields.indices.filter { fields[$0].references != nil }
    var plain: UInt64 = 0
    for (index, field) in fields.enumerated()
    where field.rule == .latest && field.references == nil { plain |= 1 << UInt64(index) }
    self.plain = plain
  }

  /// The layout of an earlier app's table, whose record type is not known.
  init(table: String, fields: [FieldSchema]) {
    self.table = table
    self.fields = fields
    access = []
    defaults = fields.map { _ in .null }
    schema = TableSchema(Key(table), fields: fields)
    isAllLatest = fields.allSatisfy { $0.rule == .latest }
    references = []
    plain = 0
  }

  /// The columns that name records.
  let references: [Int]

  /// Whether the rule of every column is `latest`, so that a value is all there is to a change.
  let isAllLatest: Bool

  /// The columns of the rule `latest` that name no record: a value is all there is to a change.
  let plain: UInt64

  /// The id of the record at a pointer, where ids come from a key that is whole; nil elsewhere.
  func derivedID(of record: UnsafeRawPointer, feed: Key) -> RecordID? {
    schema.derivedID(feed: feed) { name in
      fields.firstIndex { $0.name == name }.map { access[$0].get(record) }
    }
  }

  /// How many columns there are.
  var count: Int { fields.count }

  /// The set of all columns.
  var all: UInt64 { count == 0 ? 0 : ~0 >> UInt64(64 - count) }

  /// Fills a record from the columns of a row, which stand in the declared order.
  @usableFromInline
  func read(
    _ row: borrowing Row, from first: Int, into record: UnsafeMutableRawPointer
  ) throws(StoreError) {
    for index in 0..<access.count {
      let column = first + index
      guard let offset = access[index].offset else {
        try readOther(row, column, index, into: record)
        continue
      }
      let place = record + offset
      switch access[index].storage {
      case .boolean: place.storeBytes(of: row.int64(column) != 0, as: Bool.self)
      case .integer: place.storeBytes(of: row.int64(column), as: Int64.self)
      case .double: place.storeBytes(of: row.double(column), as: Double.self)
      case .text: place.assumingMemoryBound(to: String.self).pointee = row.text(column)
      case .id:
        let pair = row.pair(column) ?? (0, 0)
        place.storeBytes(of: RecordID(high: pair.high, low: pair.low), as: RecordID.self)
      case .texts:
        place.assumingMemoryBound(to: [String].self).pointee =
          row.withBytes(column) { TextList.texts(of: $0) } ?? []
      case .optionalInteger:
        place.assumingMemoryBound(to: Int64?.self).pointee =
          row.isNull(column) ? nil : row.int64(column)
      case .optionalDouble:
        place.assumingMemoryBound(to: Double?.self).pointee =
          row.isNull(column) ? nil : row.double(column)
      case .optionalText:
        place.assumingMemoryBound(to: String?.self).pointee =
          row.isNull(column) ? nil : row.text(column)
      case .other: try readOther(row, column, index, into: record)
      }
    }
  }

  private func readOther(
    _ row: borrowing Row, _ column: Int, _ index: Int, into record: UnsafeMutableRawPointer
  ) throws(StoreError) {
    let value = row.fieldValue(column, as: fields[index].kind)
    guard access[index].set(record, value) else {
      throw .value(table: table, column: fields[index].name.text, problem: .notUnderstood)
    }
  }

  /// The columns in which two records differ, byte for byte.
  func difference(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> UInt64 {
    var mask: UInt64 = 0
    for index in 0..<access.count where !isSame(index, one, other) {
      mask |= 1 << UInt64(index)
    }
    return mask
  }

  private func isSame(_ index: Int, _ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    guard let offset = access[index].offset else {
      return access[index].get(one) == access[index].get(other)
    }
    let left = one + offset
    let right = other + offset
    switch access[index].storage {
    case .boolean: return left.load(as: Bool.self) == right.load(as: Bool.self)
    case .integer: return left.load(as: Int64.self) == right.load(as: Int64.self)
    case .double: return left.load(as: Double.self) == right.load(as: Double.self)
    case .text:
      return left.assumingMemoryBound(to: String.self).pointee.hasSameBytes(
        as: right.assumingMemoryBound(to: String.self).pointee)
    case .id: return left.load(as: RecordID.self) == right.load(as: RecordID.self)
    case .texts, .optionalInteger, .optionalDouble, .optionalText, .other:
      return access[index].get(one) == access[index].get(other)
    }
  }

  /// The values of a set of columns by field name.
  ///
  /// - Throws: ``StoreError/value(table:column:problem:)`` for what cannot be stored.
  func values(of record: UnsafeRawPointer, mask: UInt64) throws(StoreError) -> FieldMap<FieldValue>
  {
    var values = FieldMap<FieldValue>()
    values.reserveCapacity(mask.nonzeroBitCount)
    var rest = mask
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest - 1
      let value = access[index].get(record)
      if let problem = value.problem {
        throw .value(table: table, column: fields[index].name.text, problem: problem)
      }
      values[fields[index].name] = value
    }
    return values
  }
}

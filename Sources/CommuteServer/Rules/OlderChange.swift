public import CommuteCore

/// An operation that an older version of the app wrote, on its way to the present schema.
///
/// Only its fields can be changed: what the person did, where and when stays.
public struct OlderChange: Sendable {
  private(set) var operation: CommuteCore.Operation

  init(_ operation: CommuteCore.Operation) {
    self.operation = operation
  }

  /// The record's table.
  public var table: Key { operation.key.table }

  /// The record's id.
  public var id: RecordID { operation.key.id }

  /// The schema version it was written under.
  public var schema: UInt64 { operation.schema }

  /// Whether it makes the record.
  public var isNew: Bool { operation.creates }

  /// The value it gives a field; nil where it does not change it.
  public subscript(field: Key) -> FieldValue? { operation.fields[field]?.value }

  /// Gives a field's change to a field of another name, or in another form.
  ///
  /// The change keeps its stamp, so that it wins and loses as its writer meant. Nothing happens
  /// where the field is not changed.
  ///
  /// - Parameters:
  ///   - field: The field as the older version knew it.
  ///   - other: The field of the present schema; the same for another form only.
  ///   - convert: Makes the value of the present schema; also of the one shown before.
  public mutating func move(
    _ field: Key, to other: Key, _ convert: (FieldValue) -> FieldValue = { $0 }
  ) {
    guard var change = operation.fields[field] else { return }
    change.value = convert(change.value)
    change.base = change.base.map(convert)
    operation.fields[field] = nil
    operation.fields[other] = change
  }

  /// Leaves out a field that the present schema no longer has.
  public mutating func drop(_ field: Key) {
    operation.fields[field] = nil
  }
}

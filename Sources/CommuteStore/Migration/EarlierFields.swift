public import CommuteCore

/// What a record holds that the app declares no column for: fields of older or newer versions.
public struct EarlierFields: Sendable {
  /// The values by field name.
  public let values: FieldMap<FieldValue>

  init(_ state: RecordState, without declared: [FieldSchema] = []) {
    var values = FieldMap<FieldValue>()
    for entry in state.fields.entries where !declared.contains(where: { $0.name == entry.name }) {
      values[entry.name] = entry.value.value
    }
    self.values = values
  }

  /// The value of a field; nil where there is none.
  public subscript(field: String) -> FieldValue? { values[Key(field)] }

  /// The value of a field as a type; nil where there is none, or one of another kind.
  public subscript<Value: ColumnValue>(field: String, as type: Value.Type) -> Value? {
    values[Key(field)].flatMap { Value(fieldValue: $0) }
  }
}

/// A record of a table that the app no longer declares.
public struct EarlierRecord: Sendable {
  /// Its id, which it keeps for good.
  public let id: RecordID
  /// The feed it belongs to.
  public let feed: String
  /// What it holds.
  public let fields: EarlierFields
}

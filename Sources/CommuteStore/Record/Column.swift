public import CommuteCore

/// One column: its name, the property it belongs to, and how concurrent changes merge.
public struct Column<Model: Record>: Sendable {
  /// The column's name, which is the field's name on the wire.
  public let name: String
  let schema: FieldSchema
  let access: ColumnAccess
  let path: any PartialKeyPath<Model> & Sendable
  /// What the property takes where the row holds something that is not understood.
  let fallback: FieldValue?

  init(
    name: String, path: any PartialKeyPath<Model> & Sendable, schema: FieldSchema,
    access: ColumnAccess, fallback: FieldValue? = nil
  ) {
    self.name = name
    self.path = path
    self.schema = schema
    self.access = access
    self.fallback = fallback
  }

  /// Declares a column of a property.
  ///
  /// A stored property is reached by its place in memory, any other (computed, observed, lazy or
  /// wrapped) through its key path; both behave alike.
  public init<Value: ColumnValue>(
    _ name: String, _ path: any WritableKeyPath<Model, Value> & Sendable, merge: MergeRule = .latest
  ) {
    self.init(name, path, merge, nil)
  }

  /// Declares a column that names a record of another table, or of the same.
  ///
  /// A change that refers to a record which is made on this device, too, goes to the server with
  /// that record or behind it. The record may also be one that is not there.
  public init(
    _ name: String, _ path: any WritableKeyPath<Model, RecordID> & Sendable,
    merge: MergeRule = .latest, references: Reference
  ) {
    self.init(name, path, merge, references)
  }

  /// Declares a column that names a record or none.
  public init(
    _ name: String, _ path: any WritableKeyPath<Model, RecordID?> & Sendable,
    merge: MergeRule = .latest, references: Reference
  ) {
    self.init(name, path, merge, references)
  }

  private init<Value: ColumnValue>(
    _ name: String, _ path: any WritableKeyPath<Model, Value> & Sendable, _ merge: MergeRule,
    _ references: Reference?
  ) {
    self.name = name
    self.path = path
    fallback = nil
    schema = FieldSchema(
      Key(name), Value.fieldKind, isOptional: Value.isOptional, rule: merge,
      references: references)
    // The standard library documents access through this offset as exactly equivalent to access
    // through the key path.
    if let offset = MemoryLayout<Model>.offset(of: path) {
      access = ColumnAccess(atOffset: offset, of: Value.self)
    } else {
      access = ColumnAccess(through: path)
    }
  }

  /// Declares a column whose property takes a value of its own where the stored one is not
  /// understood, such as an enum's case that only a newer app knows.
  ///
  /// The stored value stays as it is until the property is really changed.
  public init<Value: ColumnValue>(
    _ name: String, _ path: any WritableKeyPath<Model, Value> & Sendable,
    merge: MergeRule = .latest,
    unknown fallback: Value
  ) {
    let access = ColumnAccess(path) { (value: Value) in
      value.fieldValue
    } decode: {
      Value(fieldValue: $0) ?? fallback
    }
    self.init(
      name: name, path: path,
      schema: FieldSchema(Key(name), Value.fieldKind, isOptional: Value.isOptional, rule: merge),
      access: access, fallback: fallback.fieldValue)
  }
}

/// How one property is reached from a pointer to its record.
///
/// It is not generic, so that the loops over columns are compiled once, in this module.
struct ColumnAccess: Sendable {
  /// What a column holds, for the types that the loops know by themselves.
  enum Storage: UInt8, Sendable {
    case boolean, integer, double, text, id, texts
    case optionalInteger, optionalDouble, optionalText
    case other
  }

  /// Where the property lies in the record; nil where it is reached through its key path.
  let offset: Int?
  let storage: Storage
  /// Reads the property of the record at a pointer.
  let get: @Sendable (UnsafeRawPointer) -> FieldValue
  /// Sets the property of the record at a pointer; false where its type has no form for the value.
  let set: @Sendable (UnsafeMutableRawPointer, FieldValue) -> Bool

  init<Value: ColumnValue>(atOffset offset: Int, of type: Value.Type) {
    self.offset = offset
    storage = Self.storage(of: type)
    get = { ($0 + offset).assumingMemoryBound(to: Value.self).pointee.fieldValue }
    set = { record, stored in
      guard let value = Value(fieldValue: stored) else { return false }
      (record + offset).assumingMemoryBound(to: Value.self).pointee = value
      return true
    }
  }

  init<Model, Value: ColumnValue>(through path: any WritableKeyPath<Model, Value> & Sendable) {
    offset = nil
    storage = .other
    get = { $0.assumingMemoryBound(to: Model.self).pointee[keyPath: path].fieldValue }
    set = { record, stored in
      guard let value = Value(fieldValue: stored) else { return false }
      record.assumingMemoryBound(to: Model.self).pointee[keyPath: path] = value
      return true
    }
  }

  /// Reaches a property whose values have a form of their own in the column.
  init<Model, Value>(
    _ path: any WritableKeyPath<Model, Value> & Sendable,
    encode: @escaping @Sendable (Value) -> FieldValue,
    decode: @escaping @Sendable (FieldValue) -> Value?
  ) {
    storage = .other
    offset = MemoryLayout<Model>.offset(of: path)
    guard let offset else {
      get = { encode($0.assumingMemoryBound(to: Model.self).pointee[keyPath: path]) }
      set = { record, stored in
        guard let value = decode(stored) else { return false }
        record.assumingMemoryBound(to: Model.self).pointee[keyPath: path] = value
        return true
      }
      return
    }
    get = { encode(($0 + offset).assumingMemoryBound(to: Value.self).pointee) }
    set = { record, stored in
      guard let value = decode(stored) else { return false }
      (record + offset).assumingMemoryBound(to: Value.self).pointee = value
      return true
    }
  }

  private static func storage<Value>(of type: Value.Type) -> Storage {
    switch ObjectIdentifier(type) {
    case ObjectIdentifier(Bool.self): .boolean
    case ObjectIdentifier(Int64.self): .integer
    case ObjectIdentifier(Int.self) where Int.bitWidth == 64: .integer
    case ObjectIdentifier(Double.self): .double
    case ObjectIdentifier(String.self): .text
    case ObjectIdentifier(RecordID.self): .id
    case ObjectIdentifier([String].self): .texts
    case ObjectIdentifier(Int64?.self): .optionalInteger
    case ObjectIdentifier(Int?.self) where Int.bitWidth == 64: .optionalInteger
    case ObjectIdentifier(Double?.self): .optionalDouble
    case ObjectIdentifier(String?.self): .optionalText
    default: .other
    }
  }
}

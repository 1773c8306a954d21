/// What becomes of a record when the record that it refers to is deleted.
public enum DeletionRule: UInt8, Hashable, Sendable, CaseIterable {
  /// It stays as it is and goes on naming what is gone.
  case keep
  /// Its reference becomes null.
  case nullify
  /// It is deleted, too.
  case cascade

  /// The rule's name in schemas and messages.
  public var name: Key {
    switch self {
    case .keep: "keep"
    case .nullify: "nullify"
    case .cascade: "cascade"
    }
  }
}

/// That a field names a record, its parent, by the 16 bytes of its id.
///
/// The parent may be of any feed, or not there yet. When it is deleted the server carries out the
/// rule, whoever deleted it and whenever its children come.
public struct Reference: Hashable, Sendable {
  /// The parent's table.
  public var table: Key
  /// What becomes of the child when the parent is deleted.
  public var onDeletion: DeletionRule

  /// Declares a reference; by default a child stays as it is.
  public init(_ table: Key, onDeletion: DeletionRule = .keep) {
    self.table = table
    self.onDeletion = onDeletion
  }

  /// The parent that a value names; nil for null and for anything that is no id.
  public func parent(named value: FieldValue) -> RecordKey? {
    guard case .bytes(let bytes) = value, let id = RecordID(bytes: bytes) else { return nil }
    return RecordKey(table: table, id: id)
  }
}

/// Why a field cannot name records as it is declared.
public enum ReferenceProblem: Hashable, Sendable {
  /// Its values are no bytes, which an id is.
  case kind
  /// Its values are not replaced as a whole.
  case rule
  /// It is to become null, and null is no value of it.
  case notOptional
  /// The parent's table has a name that no table can have.
  case name(Key)

  /// What to do, in words.
  var message: String {
    switch self {
    case .kind: "an id is of the kind bytes"
    case .rule: "use the rule latest, serverWins or clientWins"
    case .notOptional: "nullify makes it null, so it must be optional"
    case .name(let name): "'\(name.text)' cannot name a table"
    }
  }
}

/// Why fields cannot be a key as they are declared.
public enum UniqueProblem: Hashable, Sendable {
  /// There is no field, more of them than a key can have, or one twice.
  case count
  /// The table does not have the field.
  case noField(Key)
  /// The field's values are not replaced as a whole.
  case rule(Key)
  /// The field is part of another key, too.
  case shared(Key)
  /// An id can be derived from one key only.
  case severalSameRecord
  /// A deleted record could never be made again under its derived id.
  case deleteWins

  /// What to do, in words.
  var message: String {
    switch self {
    case .count: "a key has 1 to \(UniqueKey.fieldLimit) different fields"
    case .noField(let name): "there is no field \(name.text)"
    case .rule(let name):
      "\(name.text) must have the rule latest, serverWins or clientWins"
    case .shared(let name): "\(name.text) is part of another key"
    case .severalSameRecord: "sameRecord is for one key of a table"
    case .deleteWins:
      "under deleteWins a deleted record could never be made again; use editRevives"
    }
  }
}

extension MergeRule {
  /// Whether a change takes the place of the whole value.
  var replacesValue: Bool { self == .latest || self == .serverWins || self == .clientWins }
}

extension UniqueKey {
  /// The names of fields as people read them.
  static func list(_ fields: [Key]) -> String {
    var text = ""
    for name in fields { text += text.utf8.isEmpty ? name.text : ", \(name.text)" }
    return text
  }

  /// Its line in the schema's text.
  var declaration: Key {
    var text = "unique \(rule.name.text)"
    for name in fields { text += " \(name.text)" }
    return Key(text)
  }
}

extension TableSchema {
  /// The lines about references and keys in the schema's text, in order.
  public var declarations: [Key] {
    var lines: [Key] = []
    for entry in fields.entries {
      guard let reference = entry.value.references else { continue }
      lines.append(Self.declaration(of: entry.name, reference))
    }
    return lines + uniqueKeys.map { $0.declaration }
  }

  /// The lines about the references and keys of some fields that both ends must know alike.
  ///
  /// A reference that is kept asks nothing of the server.
  public func declarations(of names: [Key]) -> [Key] {
    var lines: [Key] = []
    for name in names {
      guard let reference = fields[name]?.references, reference.onDeletion != .keep else {
        continue
      }
      lines.append(Self.declaration(of: name, reference))
    }
    for key in uniqueKeys where key.fields.contains(where: { names.contains($0) }) {
      lines.append(key.declaration)
    }
    return lines
  }

  private static func declaration(of name: Key, _ reference: Reference) -> Key {
    Key("reference \(name.text) \(reference.table.text) \(reference.onDeletion.name.text)")
  }

  /// The record's id where the table derives it from a key; nil where it does not, or where the
  /// key is not whole.
  public func derivedID(feed: Key, values: (Key) -> FieldValue?) -> RecordID? {
    for key in uniqueKeys where key.rule == .sameRecord {
      return key.identity(feed: feed, table: name, values: values)
    }
    return nil
  }

  func checkReferences() throws(SchemaError) {
    for entry in fields.entries {
      guard let reference = entry.value.references else { continue }
      if let problem = Self.problem(of: entry.value, reference) {
        throw .referenceDoesNotFit(table: name, field: entry.name, problem)
      }
    }
  }

  private static func problem(
    of field: FieldSchema, _ reference: Reference
  ) -> ReferenceProblem? {
    if field.kind != .bytes { return .kind }
    if !field.rule.replacesValue { return .rule }
    if !Schema.isPlainName(reference.table) { return .name(reference.table) }
    return reference.onDeletion == .nullify && !field.isOptional ? .notOptional : nil
  }

  func checkUniqueKeys() throws(SchemaError) {
    var taken: Set<Key> = []
    var derives = false
    for key in uniqueKeys {
      if let problem = problem(of: key, taken: taken, derives: derives) {
        throw .uniqueDoesNotFit(table: name, fields: key.fields, problem)
      }
      taken.formUnion(key.fields)
      derives = derives || key.rule == .sameRecord
    }
  }

  private func problem(
    of key: UniqueKey, taken: Set<Key>, derives: Bool
  ) -> UniqueProblem? {
    let count = key.fields.count
    guard (1...UniqueKey.fieldLimit).contains(count), Set(key.fields).count == count else {
      return .count
    }
    for name in key.fields {
      guard let field = fields[name] else { return .noField(name) }
      if !field.rule.replacesValue { return .rule(name) }
      if taken.contains(name) { return .shared(name) }
    }
    guard key.rule == .sameRecord else { return nil }
    if derives { return .severalSameRecord }
    return rule == .editRevives ? nil : .deleteWins
  }
}

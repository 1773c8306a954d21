/// The kind of value a field holds.
public enum FieldKind: UInt8, Hashable, Sendable, CaseIterable {
  /// True or false.
  case boolean
  /// A 64-bit integer.
  case integer
  /// A finite number.
  case double
  /// UTF-8 text.
  case text
  /// Bytes.
  case bytes
  /// Milliseconds since 1970.
  case instant
  /// A list of texts.
  case list

  /// The kind's name in schemas and messages.
  public var name: Key {
    switch self {
    case .boolean: "boolean"
    case .integer: "integer"
    case .double: "double"
    case .text: "text"
    case .bytes: "bytes"
    case .instant: "instant"
    case .list: "list"
    }
  }

  /// Whether a value is of this kind.
  public func admits(_ value: FieldValue) -> Bool {
    switch (self, value) {
    case (.boolean, .boolean), (.integer, .integer), (.double, .double), (.text, .text),
      (.bytes, .bytes), (.instant, .instant), (.list, .list):
      true
    default: false
    }
  }
}

/// One field of a synced table.
public struct FieldSchema: Hashable, Sendable {
  /// The field's name in the table, on the wire and in SQL.
  public var name: Key
  /// The kind of its values.
  public var kind: FieldKind
  /// Whether null is a value of it.
  public var isOptional: Bool
  /// How concurrent changes merge.
  public var rule: MergeRule
  /// That its values name records; nil where they name none.
  public var references: Reference?

  /// Declares a field.
  public init(
    _ name: Key, _ kind: FieldKind, isOptional: Bool = false, rule: MergeRule = .latest,
    references: Reference? = nil
  ) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
    self.rule = rule
    self.references = references
  }

  /// Whether the field may hold a value.
  public func admits(_ value: FieldValue) -> Bool {
    if case .null = value { return isOptional }
    return kind.admits(value)
  }
}

/// The names, kinds and rules of one synced table: what device, server and browser agree on.
public struct TableSchema: Hashable, Sendable {
  /// The table's name.
  public var name: Key
  /// The fields in the order of their names.
  public let fields: FieldMap<FieldSchema>
  /// What becomes of a record deleted here and edited there.
  public var rule: RecordRule
  /// The fields whose values together belong to one record of a feed.
  public let uniqueKeys: [UniqueKey]

  /// Declares a table.
  public init(
    _ name: Key, fields: [FieldSchema], rule: RecordRule = .deleteWins, unique: [UniqueKey] = []
  ) {
    self.name = name
    self.fields = FieldMap(fields.map { ($0.name, $0) })
    self.rule = rule
    uniqueKeys = unique.sorted { $0.fields.lexicographicallyPrecedes($1.fields) }
  }

  /// Whether anything is counted in the table.
  public var hasCounters: Bool { fields.entries.contains { $0.value.rule.isCounter } }

  /// The rule of a field; `latest` for one that the table does not name.
  public func rule(of field: Key) -> MergeRule { fields[field]?.rule ?? .latest }
}

/// Why a schema cannot be used.
@nonexhaustive
public enum SchemaError: Error, Hashable, Sendable {
  /// The field's rule works on values of another kind.
  case ruleDoesNotFit(table: Key, field: Key, rule: MergeRule, kind: FieldKind)
  /// The name is empty, over 128 bytes, begins with an engine prefix, or is not a plain name.
  case nameNotAllowed(Key)
  /// Two tables carry one name.
  case duplicateTable(Key)
  /// The field cannot name records as it is declared.
  case referenceDoesNotFit(table: Key, field: Key, ReferenceProblem)
  /// The fields cannot be a key as they are declared.
  case uniqueDoesNotFit(table: Key, fields: [Key], UniqueProblem)

  /// What happened and what to do, in one line.
  public var message: String {
    switch self {
    case .ruleDoesNotFit(let table, let field, let rule, let kind):
      "\(table.text).\(field.text) is of the kind \(kind.name.text), which the rule"
        + " \(rule.name.text) cannot merge; counters need integer, set needs list, text needs text"
    case .nameNotAllowed(let name):
      "'\(name.text)' cannot name a table or field; use letters, digits and _, beginning with a"
        + " letter, at most 128 bytes, and no prefix c_, q_ or sqlite_"
    case .duplicateTable(let name):
      "two tables are called \(name.text); rename one"
    case .referenceDoesNotFit(let table, let field, let problem):
      "\(table.text).\(field.text) cannot refer to a record: \(problem.message)"
    case .uniqueDoesNotFit(let table, let fields, let problem):
      "\(table.text) cannot keep \(UniqueKey.list(fields)) unique: \(problem.message)"
    }
  }
}

/// What a request says about the schema it was written under.
public struct SchemaID: Hashable, Sendable {
  /// The schema's name.
  public var name: Key
  /// Its version; only additions are allowed between versions.
  public var version: UInt64
  /// The first 16 hexadecimal digits of SHA-256 over its canonical text.
  public var hash: UInt64

  /// Makes an id.
  public init(name: Key, version: UInt64, hash: UInt64) {
    self.name = name
    self.version = version
    self.hash = hash
  }
}

/// All synced tables of an app.
public struct Schema: Hashable, Sendable {
  /// The schema's name.
  public let name: Key
  /// Its version.
  public let version: UInt64
  /// The tables in the order of their names.
  public let tables: FieldMap<TableSchema>

  /// Declares a schema.
  ///
  /// - Throws: ``SchemaError`` naming the table, the field and the rule that cannot be used.
  public init(name: Key, version: UInt64, tables: [TableSchema]) throws(SchemaError) {
    self.name = name
    self.version = version
    var map = FieldMap<TableSchema>()
    for table in tables {
      guard map[table.name] == nil else { throw .duplicateTable(table.name) }
      try Self.check(table)
      try table.checkReferences()
      try table.checkUniqueKeys()
      map[table.name] = table
    }
    self.tables = map
  }

  private static func check(_ table: TableSchema) throws(SchemaError) {
    guard isPlainName(table.name) else { throw .nameNotAllowed(table.name) }
    for entry in table.fields.entries {
      guard isPlainName(entry.name), entry.name != "id", entry.name != "feed" else {
        throw .nameNotAllowed(entry.name)
      }
      let field = entry.value
      guard field.rule.fits(field.kind) else {
        throw .ruleDoesNotFit(
          table: table.name, field: entry.name, rule: field.rule, kind: field.kind)
      }
    }
  }

  /// Letters, digits and underscores, beginning with a letter; engine prefixes are reserved.
  static func isPlainName(_ name: Key) -> Bool {
    let bytes = Array(name.text.utf8)
    guard let first = bytes.first, bytes.count <= 128, isLetter(first) else { return false }
    guard bytes.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }) else {
      return false
    }
    // One bit tells capital letters from small ones; in digits it is always set.
    let folded = bytes.map { $0 | 0x20 }
    for prefix in ["c_", "q_", "sqlite_"] where folded.starts(with: prefix.utf8.map { $0 | 0x20 }) {
      return false
    }
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// The text whose hash names the schema; `Documentation/Protocol.md` has its grammar.
  public var canonicalText: String {
    var text = ""
    for table in tables.entries {
      text += "table \(table.name.text) \(table.value.rule.name.text)\n"
      for field in table.value.fields.entries {
        let optional = field.value.isOptional ? "?" : ""
        text += "field \(field.name.text) \(field.value.kind.name.text)\(optional)"
        text += " \(field.value.rule.name.text)\n"
      }
      for line in table.value.declarations { text += "\(line.text)\n" }
    }
    return text
  }

  /// What a request says about this schema.
  public var id: SchemaID {
    SchemaID(
      name: name, version: version, hash: SHA256.hash(Array(canonicalText.utf8)).first)
  }
}

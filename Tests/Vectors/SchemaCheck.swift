import CommuteCore

/// Builds a schema of the lines of its text, in whatever order they stand.
enum SchemaCheck {
  static func hash(_ input: [UInt8]) -> [UInt8] {
    var tables: [TableSchema] = []
    var name: Key = ""
    var fields: [FieldSchema] = []
    for line in input.split(separator: 0x3B) {
      let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
      if words.count == 3 {
        if !name.text.utf8.isEmpty { tables.append(TableSchema(name, fields: fields)) }
        name = Key(words[1])
        fields = []
      } else if words.count == 4, let field = field(words) {
        fields.append(field)
      } else {
        return Array("unreadable".utf8)
      }
    }
    tables.append(TableSchema(name, fields: fields))
    do throws(SchemaError) {
      let schema = try Schema(name: "vectors", version: 1, tables: tables)
      // The hash must not depend on the order in which tables are declared.
      let turned = try Schema(name: "vectors", version: 1, tables: tables.reversed())
      guard schema.id == turned.id else { return Array("order counts".utf8) }
      let hash = schema.id.hash
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) }
      return VectorChecks.hexadecimal(bytes)
    } catch {
      return Array(error.message.utf8)
    }
  }

  private static func field(_ words: [String]) -> FieldSchema? {
    var kindName = words[2]
    let isOptional = kindName.utf8.last == 0x3F
    if isOptional { kindName = String(decoding: kindName.utf8.dropLast(), as: UTF8.self) }
    let kind = FieldKind.allCases.first { $0.name == Key(kindName) }
    let rule = MergeRule.allCases.first { $0.name == Key(words[3]) }
    guard let kind, let rule else { return nil }
    return FieldSchema(Key(words[1]), kind, isOptional: isOptional, rule: rule)
  }
}

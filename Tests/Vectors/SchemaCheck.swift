import CommuteCore

/// Builds a schema of the lines of its text, in whatever order they stand.
enum SchemaCheck {
  static func hash(_ input: [UInt8]) -> [UInt8] {
    var tables: [TableLines] = []
    for line in input.split(separator: 0x3B) {
      let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
      if words.count == 3, Key(words[0]) == "table" {
        tables.append(TableLines(words))
      } else if tables.isEmpty || !tables[tables.count - 1].take(words) {
        return Array("unreadable".utf8)
      }
    }
    let declared = tables.map { $0.table }
    do throws(SchemaError) {
      let schema = try Schema(name: "vectors", version: 1, tables: declared)
      // The hash must not depend on the order in which tables are declared.
      let turned = try Schema(name: "vectors", version: 1, tables: declared.reversed())
      guard schema.id == turned.id else { return Array("order counts".utf8) }
      let hash = schema.id.hash
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) }
      return VectorChecks.hexadecimal(bytes)
    } catch {
      return Array(error.message.utf8)
    }
  }

  /// What stands for a key's values: feed, table, then field and value in turns.
  static func keyID(_ input: [UInt8]) -> [UInt8] {
    let words = VectorChecks.words(of: input)
    guard words.count >= 4, words.count % 2 == 0 else { return Array("unreadable".utf8) }
    var values = FieldMap<FieldValue>()
    var fields: [Key] = []
    do throws(WireError) {
      for index in stride(from: 2, to: words.count, by: 2) {
        let name = Key(String(decoding: words[index], as: UTF8.self))
        values[name] = try FieldValue(json: Array(words[index + 1]))
        fields.append(name)
      }
    } catch {
      return VectorChecks.refusal(error)
    }
    let key = UniqueKey(fields: fields, rule: .sameRecord)
    let id = key.identity(
      feed: Key(String(decoding: words[0], as: UTF8.self)),
      table: Key(String(decoding: words[1], as: UTF8.self))
    ) { values[$0] }
    return id.map { Array($0.text.utf8) } ?? Array("none".utf8)
  }
}

/// The lines of one table.
private struct TableLines {
  private let name: Key
  private let rule: RecordRule
  private var fields: [FieldSchema] = []
  private var keys: [UniqueKey] = []

  init(_ words: [String]) {
    name = Key(words[1])
    rule = RecordRule.allCases.first { $0.name == Key(words[2]) } ?? .deleteWins
  }

  var table: TableSchema { TableSchema(name, fields: fields, rule: rule, unique: keys) }

  /// Takes a line; false where it cannot be read.
  mutating func take(_ words: [String]) -> Bool {
    guard words.count > 2 else { return false }
    switch Key(words[0]) {
    case "field": return takeField(words)
    case "reference": return takeReference(words)
    case "unique":
      guard let rule = UniqueRule.allCases.first(where: { $0.name == Key(words[1]) }) else {
        return false
      }
      keys.append(UniqueKey(fields: words.dropFirst(2).map { Key($0) }, rule: rule))
      return true
    default: return false
    }
  }

  private mutating func takeField(_ words: [String]) -> Bool {
    guard words.count == 4 else { return false }
    var kindName = words[2]
    let isOptional = kindName.utf8.last == 0x3F
    if isOptional { kindName = String(decoding: kindName.utf8.dropLast(), as: UTF8.self) }
    let kind = FieldKind.allCases.first { $0.name == Key(kindName) }
    let rule = MergeRule.allCases.first { $0.name == Key(words[3]) }
    guard let kind, let rule else { return false }
    fields.append(FieldSchema(Key(words[1]), kind, isOptional: isOptional, rule: rule))
    return true
  }

  private mutating func takeReference(_ words: [String]) -> Bool {
    guard words.count == 4,
      let rule = DeletionRule.allCases.first(where: { $0.name == Key(words[3]) }),
      let index = fields.firstIndex(where: { $0.name == Key(words[1]) })
    else { return false }
    fields[index].references = Reference(Key(words[2]), onDeletion: rule)
    return true
  }
}

extension Schema {
  /// Reads a schema from its canonical text.
  ///
  /// References and unique keys ask more of a device than the browser's calls can do, so a schema
  /// that has any is refused.
  init(name: Key, version: UInt64, canonicalText text: String) throws(WebRefusal) {
    var tables: [TableSchema] = []
    var fields: [FieldSchema] = []
    var head: (name: Key, rule: RecordRule)?
    for line in text.utf8.split(separator: 0x0A) {
      let words = line.split(separator: 0x20).map { Key(String(decoding: $0, as: UTF8.self)) }
      if words.count == 3, words[0] == "table",
        let rule = RecordRule.allCases.first(where: { $0.name == words[2] })
      {
        if let head { tables.append(TableSchema(head.name, fields: fields, rule: head.rule)) }
        head = (words[1], rule)
        fields = []
      } else if head != nil, let field = FieldSchema(words: words) {
        fields.append(field)
      } else {
        throw WebRefusal(call: "the schema has a line that the browser cannot carry out")
      }
    }
    if let head { tables.append(TableSchema(head.name, fields: fields, rule: head.rule)) }
    do throws(SchemaError) {
      try self.init(name: name, version: version, tables: tables)
    } catch {
      throw WebRefusal(error)
    }
  }
}

extension FieldSchema {
  /// Reads the line of a field, as `field rating integer? latest`.
  fileprivate init?(words: [Key]) {
    guard words.count == 4, words[0] == "field", let rule = MergeRule(name: words[3]) else {
      return nil
    }
    let kindName = words[2].text.utf8
    let isOptional = kindName.last == 0x3F
    let plain = isOptional ? Key(String(decoding: kindName.dropLast(), as: UTF8.self)) : words[2]
    guard let kind = FieldKind.allCases.first(where: { $0.name == plain }) else { return nil }
    self.init(words[1], kind, isOptional: isOptional, rule: rule)
  }
}

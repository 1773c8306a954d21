import CommuteCore

/// Reads back the text that a file keeps of the schema it was last opened with.
///
/// The text is ``Schema/canonicalText``: `table NAME RULE`, then `field NAME KIND[?] RULE` for
/// each.
enum SchemaText {
  /// The fields of each table that the text names.
  ///
  /// - Throws: ``StoreError/corrupt(reason:)`` for text of another form.
  static func tables(_ text: String) throws(StoreError) -> [(name: String, fields: [FieldSchema])] {
    var tables: [(name: String, fields: [FieldSchema])] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if words.count == 3, words[0] == "table" {
        tables.append((words[1], []))
      } else if let first = words.first, first == "reference" || first == "unique" {
        continue  // Columns do not depend on these.
      } else if words.count == 4, words[0] == "field", let last = tables.indices.last,
        let field = field(words[1], words[2])
      {
        tables[last].fields.append(field)
      } else {
        throw .corrupt(reason: "c_meta.schema_text cannot be read")
      }
    }
    return tables
  }

  private static func field(_ name: String, _ kind: String) -> FieldSchema? {
    let isOptional = kind.hasSuffix("?")
    let bare = Key(isOptional ? String(kind.dropLast()) : kind)
    guard let kind = FieldKind.allCases.first(where: { $0.name == bare }) else { return nil }
    return FieldSchema(Key(name), kind, isOptional: isOptional)
  }
}

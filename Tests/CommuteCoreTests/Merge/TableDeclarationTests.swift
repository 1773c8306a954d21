import CommuteCore
import Testing

/// What a schema may declare, and what it says of itself.
@Suite struct TableDeclarationTests {
  static func schema(_ tables: TableSchema...) throws(SchemaError) -> Schema {
    try Schema(name: "shelf", version: 3, tables: tables)
  }

  /// Why a table cannot be declared; nil where it can.
  static func refusal(_ tables: TableSchema...) -> SchemaError? {
    do throws(SchemaError) {
      _ = try Schema(name: "shelf", version: 3, tables: tables)
      return nil
    } catch {
      return error
    }
  }

  static func isAllowed(_ name: String) -> Bool {
    let asTable = refusal(TableSchema(Key(name), fields: []))
    let asField = refusal(TableSchema("book", fields: [FieldSchema(Key(name), .text)]))
    if name != "id" && name != "feed" { #expect((asTable == nil) == (asField == nil)) }
    return asField == nil
  }

  @Test func `the kinds that each rule can merge`() {
    for rule in MergeRule.allCases {
      for kind in FieldKind.allCases {
        let fits =
          switch rule {
          case .growOnlyCounter, .counter: kind == .integer
          case .set: kind == .list
          case .text: kind == .text
          default: true
          }
        #expect(rule.fits(kind) == fits, "\(rule) \(kind)")
        let table = TableSchema("book", fields: [FieldSchema("a", kind, rule: rule)])
        let refusal =
          fits
          ? nil : SchemaError.ruleDoesNotFit(table: "book", field: "a", rule: rule, kind: kind)
        #expect(Self.refusal(table) == refusal)
      }
    }
  }

  @Test func `plain names are letters, digits and underscores behind a letter`() {
    let names = [
      "a", "z", "A", "Z", "a0", "a9", "a_", "aZ_9", "cc_", "q", "sqlite", "feeds", "b_x", "p_x",
    ]
    for name in names { #expect(Self.isAllowed(name), "\(name)") }
    let others = [
      "", "0a", "9", "_a", "@a", "[a", "`a", "{a", "a/", "a:", "a@", "a[", "a`", "a{", "a^", "ä",
      "a b", "a-", "c_a", "C_a", "q_a", "Q_", "sqlite_x", "SQLite_x", "id", "feed",
    ]
    for name in others { #expect(!Self.isAllowed(name), "\(name)") }
    #expect(Self.isAllowed(String(repeating: "a", count: 128)))
    #expect(!Self.isAllowed(String(repeating: "a", count: 129)))
  }

  @Test func `a table may be called what a field may not`() {
    #expect(Self.refusal(TableSchema("id", fields: []), TableSchema("feed", fields: [])) == nil)
  }

  @Test func `two tables of one name are refused`() {
    let book = TableSchema("book", fields: [])
    #expect(Self.refusal(book, book) == .duplicateTable("book"))
    #expect(Self.refusal(book, TableSchema("books", fields: [])) == nil)
  }

  @Test func `every refusal names what it is about`() {
    let rule = SchemaError.ruleDoesNotFit(
      table: "book", field: "read", rule: .counter, kind: .text)
    #expect(rule.message.hasPrefix("book.read is of the kind text, which the rule counter "))
    #expect(SchemaError.nameNotAllowed("c_x").message.hasPrefix("'c_x' cannot name a table"))
    #expect(SchemaError.duplicateTable("book").message == "two tables are called book; rename one")
  }

  @Test func `the canonical text has tables and fields by name, kinds, rules and options`() throws {
    let schema = try Self.schema(
      TableSchema("note", fields: [], rule: .editRevives),
      TableSchema(
        "book",
        fields: [
          FieldSchema("title", .text), FieldSchema("read", .integer, rule: .counter),
          FieldSchema("due", .instant, isOptional: true, rule: .minimum),
        ]))
    let text = """
      table book deleteWins
      field due instant? minimum
      field read integer counter
      field title text latest
      table note editRevives

      """
    #expect(schema.canonicalText == text)
    #expect(
      schema.id
        == SchemaID(name: "shelf", version: 3, hash: SHA256.hash(Array(text.utf8)).first))
  }

  @Test func `names of kinds and rules are those of the wire`() {
    #expect(
      FieldKind.allCases.map { $0.name }
        == ["boolean", "integer", "double", "text", "bytes", "instant", "list"])
    #expect(RecordRule.allCases.map { $0.name } == ["deleteWins", "editRevives"])
    for rule in MergeRule.allCases { #expect(MergeRule(name: rule.name) == rule) }
    #expect(MergeRule(name: "newest") == nil)
  }

  @Test func `what rules keep and sum`() {
    #expect(
      MergeRule.allCases.filter { $0.keepsState }
        == [.growOnlyCounter, .counter, .set, .text, .clientWins, .keepBoth])
    #expect(MergeRule.allCases.filter { $0.isSummed } == [.growOnlyCounter, .counter, .set])
    #expect(MergeRule.allCases.filter { $0.isCounter } == [.growOnlyCounter, .counter])
  }

  @Test func `a field admits values of its kind, and null where it is optional`() {
    let values: [FieldValue] = [
      .boolean(true), .integer(1), .double(1), .text("a"), .bytes([1]), .instant(1), .list(["a"]),
    ]
    for (place, kind) in FieldKind.allCases.enumerated() {
      for (other, value) in values.enumerated() {
        #expect(FieldSchema("a", kind).admits(value) == (place == other))
      }
      #expect(!FieldSchema("a", kind).admits(.null))
      #expect(FieldSchema("a", kind, isOptional: true).admits(.null))
      #expect(!kind.admits(.null))
    }
  }

  @Test func `a field that a table does not name is of the rule latest`() {
    let table = TableSchema("book", fields: [FieldSchema("read", .integer, rule: .counter)])
    #expect(table.rule(of: "read") == .counter)
    #expect(table.rule(of: "title") == .latest)
  }
}

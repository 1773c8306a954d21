import CommuteCore
import Testing

/// What a schema may declare of references and unique keys, and how both ends compare it.
@Suite struct SchemaTests {
  private let shelf = FieldSchema(
    "shelf", .bytes, isOptional: true, references: Reference("shelf", onDeletion: .nullify))
  private let list = FieldSchema(
    "list", .bytes, references: Reference("list", onDeletion: .cascade))

  private func problem(
    _ fields: [FieldSchema], rule: RecordRule = .editRevives, unique: [UniqueKey] = []
  ) -> SchemaError? {
    do throws(SchemaError) {
      _ = try Schema(
        name: "shelf", version: 1,
        tables: [TableSchema("book", fields: fields, rule: rule, unique: unique)])
      return nil
    } catch {
      return error
    }
  }

  private func referenceProblem(_ field: FieldSchema) -> ReferenceProblem? {
    guard case .referenceDoesNotFit("book", field.name, let problem)? = problem([field]) else {
      return nil
    }
    return problem
  }

  private func uniqueProblem(
    _ unique: UniqueKey..., rule: RecordRule = .editRevives
  ) -> UniqueProblem? {
    let fields = [
      FieldSchema("a", .text), FieldSchema("b", .integer), FieldSchema("c", .text, rule: .text),
      FieldSchema("d", .text), FieldSchema("e", .bytes),
    ]
    let problem = problem(fields, rule: rule, unique: unique)
    guard case .uniqueDoesNotFit("book", _, let problem)? = problem else { return nil }
    return problem
  }

  @Test func `a table declares references and keys in lines of the schema's text`() throws {
    let table = TableSchema(
      "book", fields: [shelf, list, FieldSchema("isbn", .text), FieldSchema("part", .integer)],
      rule: .editRevives,
      unique: [UniqueKey("part", "isbn", rule: .first)])
    let schema = try Schema(name: "s", version: 1, tables: [table])
    let expected = """
      table book editRevives
      field isbn text latest
      field list bytes latest
      field part integer latest
      field shelf bytes? latest
      reference list list cascade
      reference shelf shelf nullify
      unique first isbn part

      """
    #expect(schema.canonicalText.hasSameBytes(as: expected))
  }

  @Test func `of some fields it tells what both ends must know alike`() {
    let kept = FieldSchema("lender", .bytes, references: Reference("person"))
    let table = TableSchema(
      "book", fields: [shelf, list, kept, FieldSchema("isbn", .text), FieldSchema("part", .text)],
      unique: [UniqueKey("isbn", "part", rule: .first)])
    #expect(table.declarations(of: ["lender", "title"]) == [])
    #expect(
      table.declarations(of: ["list", "part"]) == [
        "reference list list cascade", "unique first isbn part",
      ])
    #expect(table.declarations.first == "reference lender person keep")
  }

  @Test func `a reference fits bytes that are replaced as a whole`() {
    let parent = Reference("list", onDeletion: .cascade)
    #expect(referenceProblem(FieldSchema("x", .text, references: parent)) == .kind)
    #expect(
      referenceProblem(FieldSchema("x", .bytes, rule: .keepBoth, references: parent)) == .rule)
    #expect(
      referenceProblem(FieldSchema("x", .bytes, references: Reference("c_list")))
        == .name("c_list"))
    #expect(
      referenceProblem(
        FieldSchema("x", .bytes, references: Reference("list", onDeletion: .nullify)))
        == .notOptional)
    for rule in [MergeRule.latest, .serverWins, .clientWins] {
      #expect(problem([FieldSchema("x", .bytes, rule: rule, references: parent)]) == nil)
    }
  }

  @Test func `a key has up to three fields of the table, each in one key`() {
    #expect(uniqueProblem(UniqueKey(fields: [], rule: .first)) == .count)
    #expect(uniqueProblem(UniqueKey("a", "b", "d", rule: .first)) == nil)
    #expect(uniqueProblem(UniqueKey("a", "b", "d", "e", rule: .first)) == .count)
    #expect(uniqueProblem(UniqueKey("a", "a", rule: .first)) == .count)
    #expect(uniqueProblem(UniqueKey("x", rule: .first)) == .noField("x"))
    #expect(uniqueProblem(UniqueKey("c", rule: .first)) == .rule("c"))
    #expect(
      uniqueProblem(UniqueKey("a", "b", rule: .first), UniqueKey("b", rule: .first))
        == .shared("b"))
    #expect(uniqueProblem(UniqueKey("a", rule: .first), UniqueKey("b", rule: .first)) == nil)
  }

  @Test func `an id is derived from one key, of records that can be made again`() {
    let one = UniqueKey("a", rule: .sameRecord)
    #expect(uniqueProblem(one) == nil)
    #expect(uniqueProblem(one, UniqueKey("b", rule: .first)) == nil)
    #expect(uniqueProblem(one, UniqueKey("b", rule: .sameRecord)) == .severalSameRecord)
    #expect(uniqueProblem(one, rule: .deleteWins) == .deleteWins)
    #expect(uniqueProblem(UniqueKey("a", rule: .first), rule: .deleteWins) == nil)
  }

  @Test func `each refusal names table and fields and says what to do`() {
    let said: [(SchemaError, String)] = [
      (.referenceDoesNotFit(table: "book", field: "x", .kind), "an id is of the kind bytes"),
      (.referenceDoesNotFit(table: "book", field: "x", .rule), "use the rule latest, serverWins"),
      (.referenceDoesNotFit(table: "book", field: "x", .notOptional), "it must be optional"),
      (.referenceDoesNotFit(table: "book", field: "x", .name("c_y")), "'c_y' cannot name"),
      (.uniqueDoesNotFit(table: "book", fields: ["x"], .count), "a key has 1 to 3 different"),
      (.uniqueDoesNotFit(table: "book", fields: ["x"], .noField("y")), "there is no field y"),
      (.uniqueDoesNotFit(table: "book", fields: ["x"], .rule("y")), "y must have the rule"),
      (.uniqueDoesNotFit(table: "book", fields: ["x"], .shared("y")), "y is part of another"),
      (.uniqueDoesNotFit(table: "book", fields: ["x"], .severalSameRecord), "for one key"),
      (.uniqueDoesNotFit(table: "book", fields: ["x", "z"], .deleteWins), "use editRevives"),
    ]
    for (error, part) in said {
      #expect(error.message.contains(part), "\(error.message)")
      #expect(error.message.hasPrefix("book"), "\(error.message)")
    }
    #expect(said.last?.0.message.contains("x, z") == true)
  }

  @Test func `a parent is named by 16 bytes and by nothing else`() {
    let id = RecordID(high: 1, low: 2)
    let reference = Reference("list")
    #expect(reference.parent(named: .bytes(id.bytes)) == RecordKey(table: "list", id: id))
    #expect(reference.parent(named: .bytes([1, 2])) == nil)
    #expect(reference.parent(named: .text(id.text)) == nil)
    #expect(reference.parent(named: .null) == nil)
  }

  @Test func `an id is derived from the key of sameRecord only, and from all of it`() {
    let table = TableSchema(
      "tag", fields: [FieldSchema("name", .text), FieldSchema("code", .text)],
      rule: .editRevives,
      unique: [UniqueKey("code", rule: .first), UniqueKey("name", rule: .sameRecord)])
    let values: FieldMap<FieldValue> = ["name": .text("home"), "code": .text("1")]
    let id = table.derivedID(feed: "todos") { values[$0] }
    // The vector of Protocol.md: `todos tag name "home"`.
    #expect(id == RecordID(text: "41228dc2-da66-8905-ad63-fbeb5b58fe6d"))
    #expect(table.derivedID(feed: "todos") { $0 == "name" ? .null : values[$0] } == nil)
    #expect(table.derivedID(feed: "todos") { _ in nil } == nil)
    let other = TableSchema("tag", fields: [], unique: [UniqueKey("name", rule: .first)])
    #expect(other.derivedID(feed: "todos") { values[$0] } == nil)
    let state = RecordState(
      fields: values.mapValues { FieldState(value: $0, stamp: .floor) })
    #expect(
      UniqueKey("name", rule: .sameRecord).identity(of: state, feed: "todos", table: "tag") == id)
  }
}

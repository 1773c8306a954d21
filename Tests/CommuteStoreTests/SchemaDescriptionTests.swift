import CommuteCore
import CommuteStore
import Foundation
import Testing

private struct First: Record {
  var id = RecordID.zero
  var name = ""
  var age = 0

  static let table = Table("person", feed: "people", blank: First()) {
    Column("name", \.name)
    Column("age", \.age)
  }
}

private struct Grown: Record {
  var id = RecordID.zero
  var name = ""
  var age = 0
  var city: String?

  static let table = Table("person", feed: "people", blank: Grown()) {
    Column("name", \.name)
    Column("age", \.age)
    Column("city", \.city)
  }
}

/// The name is gone, and the age is counted in another way.
private struct Other: Record {
  var id = RecordID.zero
  var first = ""
  var age = 0

  static let table = Table("person", feed: "people", blank: Other()) {
    Column("first", \.first)
    Column("age", \.age, merge: .counter)
  }
}

private struct Split: Record {
  var id = RecordID.zero
  var first = ""
  var age = 0

  static let table = Table("person", feed: "people", blank: Split()) {
    Column("first", \.first)
    Column("age", \.age)
  }
}

@Suite struct SchemaDescriptionTests {
  private let released: SchemaDescription

  init() throws {
    released = try SchemaDescription(name: "people", version: 1, tables: [First.table])
  }

  private func messages(
    _ version: UInt64, _ tables: [any TableDeclaration], _ steps: [StoreMigration] = []
  ) throws -> [String] {
    let next = try SchemaDescription(
      name: "people", version: version, tables: tables, migrations: steps)
    return next.differences(from: released).map(\.message)
  }

  @Test func `a schema is written down and read back`() throws {
    let step = StoreMigration("v2", replacing: ["person.name"]) { _ in }
    let described = try SchemaDescription(
      name: "people", version: 2, tables: [First.table, Book.table], migrations: [step])
    #expect(
      described.text.hasPrefix(
        """
        schema people 2
        step v2 person.name
        table book deleteWins
        field author text latest

        """))
    let read = try SchemaDescription(text: described.text)
    #expect(read == described)
    #expect(described.differences(from: read) == [])
  }

  @Test func `what is new needs a new version and nothing else`() throws {
    #expect(
      try messages(2, [Grown.table, Book.table]) == [
        "new: table book", "new: column person.city",
      ])
    #expect(
      try messages(1, [Grown.table]) == [
        "new: column person.city", "the version is 1, 1 is released; raise it to 2",
      ])
  }

  @Test func `what is gone needs a named step, and says which`() throws {
    let lost = try messages(2, [Split.table])
    #expect(
      lost == [
        "new: column person.first",
        "gone: column person.name; declare it again, or add a step that moves what it held:"
          + " StoreMigration(\"…\", replacing: [\"person.name\"]) { tx in … }",
      ])
    let step = StoreMigration("v2-split", replacing: ["person.name"]) { _ in }
    let moved = try SchemaDescription(
      name: "people", version: 2, tables: [Split.table], migrations: [step]
    ).differences(from: released)
    #expect(moved.map(\.effect) == [.addition, .addition, .replacement])
    let none = try messages(2, [])
    #expect(none.count == 1 && none[0].hasPrefix("gone: table person; declare it again"))
  }

  @Test func `a rule or kind never changes under its name, whatever the steps`() throws {
    let step = StoreMigration("v2", replacing: ["person.name", "person.age", "person"]) { _ in }
    let found = try SchemaDescription(
      name: "people", version: 2, tables: [Other.table], migrations: [step]
    ).differences(from: released)
    let changed = found.filter { $0.effect == .destruction }
    #expect(
      changed.map(\.text) == [
        "changed: column person.age from 'integer latest' to 'integer counter'"
      ])
    #expect(changed[0].cure?.contains("add a column of another name") == true)
  }

  @Test func `versions only rise, names stay, and steps go to the end`() throws {
    #expect(
      try messages(0, [First.table]) == ["the version is 0, 1 is released; raise it to 2"])
    let renamed = try SchemaDescription(name: "folk", version: 2, tables: [First.table])
    #expect(renamed.differences(from: released).contains { $0.text.contains("called folk") })
    let one = StoreMigration("one") { _ in }
    let two = StoreMigration("two") { _ in }
    let with = try SchemaDescription(
      name: "people", version: 2, tables: [First.table], migrations: [two])
    let before = try SchemaDescription(
      name: "people", version: 3, tables: [First.table], migrations: [one, two])
    #expect(
      before.differences(from: with).map(\.message) == [
        "the step one stands before two; put new steps at the end"
      ])
  }

  @Test func `a file that is none is refused with its line`() throws {
    let error = #expect(throws: StoreError.self) {
      try SchemaDescription(text: "schema people 1\ntable person deleteWins\nfeld name text latest")
    }
    #expect(error?.message.contains("line 3") == true)
    #expect(throws: StoreError.self) { try SchemaDescription(text: "") }
    let spaced = StoreMigration("two words") { _ in }
    #expect(throws: StoreError.self) {
      try SchemaDescription(name: "a", version: 1, tables: [], migrations: [spaced])
    }
  }

  @Test func `a released file is never written over`() throws {
    let folder = try TemporaryStore()
    let path = "\(folder.path)/schemas/people-1.schema"
    try released.write(to: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == released.text)
    #expect(throws: StoreError.self) { try released.write(to: path) }
  }
}

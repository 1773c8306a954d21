import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// A person as the first version knew them.
private struct OldPerson: Record {
  var id = RecordID.zero
  var name = ""

  static let table = Table("person", feed: "people", blank: OldPerson()) {
    Column("name", \.name)
  }
}

private struct Person: Record, Equatable {
  var id = RecordID.zero
  var first = ""
  var last = ""

  static let table = Table("person", feed: "people", blank: Person()) {
    Column("first", \.first)
    Column("last", \.last)
  }
}

/// People under another name of their table.
private struct Member: Record, Equatable {
  var id = RecordID.zero
  var name = ""

  static let table = Table("member", feed: "people", blank: Member()) {
    Column("name", \.name)
  }
}

private struct Stop: Error, CustomStringConvertible {
  var description: String { "the test stops here" }
}

private func splitNames(_ tx: borrowing WriteTransaction) throws {
  try tx.fill(Person.self) { person, earlier in
    let words = (earlier["name", as: String.self] ?? "").split(separator: " ").map(String.init)
    person.first = words.first ?? ""
    person.last = words.dropFirst().joined(separator: " ")
  }
}

@Suite struct StoreMigrationTests {
  let folder: TemporaryStore
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
  }

  private static let split = StoreMigration(
    "v2-split-name", replacing: ["person.name"], splitNames)

  private func open(
    _ tables: [any TableDeclaration], _ version: UInt64, _ steps: [StoreMigration] = [],
    change: (inout StoreOptions) -> Void = { _ in }
  ) throws(StoreError) -> Store {
    // The versions must not draw the same ids.
    var options = folder.options(seed: version)
    options.schemaVersion = version
    change(&options)
    return try Store(folder.device, tables: tables, migrations: steps, options: options)
  }

  /// A file of the first version with two people, settled and pending.
  private func fill() async throws {
    let old = try open([OldPerson.table], 1)
    try await old.write { tx in try tx.insert(OldPerson(id: id(1), name: "Michael Ende")) }
    try await old.syncAll(with: server)
    try await old.write { tx in try tx.insert(OldPerson(id: id(2), name: "Otfried Preussler")) }
    await old.close()
  }

  private func ran() throws -> [SQLValue] {
    try folder.rows("SELECT name FROM c_step ORDER BY position").compactMap(\.first)
  }

  @Test func `a column is split once, and the parts are sent`() async throws {
    try await fill()
    let new = try open([Person.table], 2, [Self.split])
    let people = try await new.read { tx in try tx.fetch(Person.order(by: \.first)) }
    #expect(
      people == [
        Person(id: id(1), first: "Michael", last: "Ende"),
        Person(id: id(2), first: "Otfried", last: "Preussler"),
      ])
    try await new.syncAll(with: server)
    let told = server.records[RecordKey(table: "person", id: id(1))]?.state
    #expect(told?.fields["first"]?.value == .text("Michael"))
    #expect(told?.fields["first"]?.stamp == .floor)
    // Older devices still find what they know.
    #expect(told?.fields["name"]?.value == .text("Michael Ende"))
    try await new.write { tx in try tx.update(Person.self, id(1)) { $0.first = "M." } }
    await new.close()
    let again = try open([Person.table], 2, [Self.split])
    let first = try await again.read { tx in try tx.fetch(Person.self, id(1))?.first }
    #expect(first == "M.")
    #expect(try ran() == [.text("v2-split-name")])
  }

  @Test func `what somebody wrote into the new column stays`() async throws {
    try await fill()
    // Another device, on the new version already.
    server.put("person", id(1), feed: "people", ["first": .text("Michi")])
    let old = try open([OldPerson.table], 1)
    try await old.syncAll(with: server)
    await old.close()
    let new = try open([Person.table], 2, [Self.split])
    let person = try await new.read { tx in try tx.fetch(Person.self, id(1)) }
    #expect(person == Person(id: id(1), first: "Michi", last: "Ende"))
  }

  @Test func `records move to another table under their ids`() async throws {
    try await fill()
    let rename = StoreMigration("v2-member", replacing: ["person"]) { tx in
      try tx.forEachEarlierRecord(of: "person") { person in
        let name = person.fields["name", as: String.self] ?? ""
        try tx.insertSeed(Member(id: person.id, name: name), feed: person.feed)
      }
    }
    let new = try open([Member.table], 2, [rename])
    let members = try await new.read { tx in try tx.fetch(Member.order(by: \.name)) }
    #expect(members.map(\.id) == [id(1), id(2)])
    #expect(members.map(\.name) == ["Michael Ende", "Otfried Preussler"])
    #expect(try folder.value("SELECT count(*) FROM c_unknown WHERE tbl = 'person'") == .integer(2))
  }

  @Test func `rows that had numbers get ids, the fixed ones where they are known`() async throws {
    let make = StoreMigration("v1-old-list") { tx in
      try tx.execute("CREATE TABLE old_list(number INTEGER PRIMARY KEY, title TEXT)")
      for title in ["Sample", "Momo", "Sample"] {
        try tx.execute("INSERT INTO old_list(title) VALUES (\(title))")
      }
    }
    let move = StoreMigration("v2-ids") { tx in
      let named = try tx.backfillIDs(in: "old_list") { (row) throws(StoreError) in
        row.text(1) == "Sample" ? id(77) : nil
      }
      let again = try tx.backfillIDs(in: "old_list")
      tx.setNote("named", "\(named) \(again)")
    }
    let store = try open([Book.table], 1, [make, move])
    await store.close()
    let rows = try folder.rows("SELECT title, uid FROM old_list ORDER BY number")
    #expect(rows[0] == [.text("Sample"), .bytes(id(77).bytes)])
    #expect(Set(rows.map { $0[1] }).count == 3)
    let second = try open([Book.table], 1, [make, move])
    let note = try await second.write { tx in tx.note("named") }
    #expect(note == "3 0")
    #expect(try ran() == [.text("v1-old-list"), .text("v2-ids")])
  }

  @Test func `a synced table takes no column from a step`() async throws {
    let wrong = StoreMigration("wrong") { tx in try tx.backfillIDs(in: "book") }
    let error = #expect(throws: StoreError.self) { try open([Book.table], 1, [wrong]) }
    #expect(error?.message.contains("book") == true)
    #expect(try ran() == [])
  }

  @Test func `a step that throws is undone, and the next opening goes on there`() async throws {
    try await fill()
    let one = StoreMigration("one") { tx in try tx.execute("CREATE TABLE one(a)") }
    let two = StoreMigration("two") { tx in
      try tx.fill(Person.self) { person, _ in person.first = "half" }
      throw Stop()
    }
    #expect(throws: StoreError.migration(step: "two", reason: "the test stops here")) {
      try open([Person.table], 2, [one, two])
    }
    #expect(try ran() == [.text("one")])
    #expect(try folder.value("SELECT group_concat(first, '') FROM person") == .text(""))
    let outbox = try folder.value("SELECT count(*) FROM c_outbox")
    #expect(outbox == .integer(1))
    let right = StoreMigration("two", splitNames)
    let store = try open([Person.table], 2, [one, right])
    let first = try await store.read { tx in try tx.fetch(Person.self, id(2))?.first }
    #expect(first == "Otfried")
  }

  @Test func `steps of one name, and steps put before others, are refused`() async throws {
    let one = StoreMigration("one") { _ in }
    let two = StoreMigration("two") { _ in }
    #expect(throws: StoreError.declaration(reason: "two steps are called one; rename the new one"))
    { try open([Book.table], 1, [one, one]) }
    let store = try open([Book.table], 1, [two])
    await store.close()
    let error = #expect(throws: StoreError.self) { try open([Book.table], 1, [one, two]) }
    #expect(error?.message.contains("put new steps at the end") == true)
    // Old ones may be dropped.
    _ = try open([Book.table], 1, [])
  }

  @Test func `two stores that open one file at once run each step once`() async throws {
    let count = StoreMigration("count") { tx in
      try tx.execute("CREATE TABLE IF NOT EXISTS counted(a)")
      try tx.execute("INSERT INTO counted VALUES (1)")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { try await open([Book.table], 1, [count]).close() }
      }
      try await group.waitForAll()
    }
    #expect(try folder.value("SELECT count(*) FROM counted") == .integer(1))
  }
}

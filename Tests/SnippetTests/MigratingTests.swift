import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import Testing

/// A person as the first version knew them.
private struct OldPerson: Record {
  var id = RecordID.zero
  var name = ""

  static let table = Table("person", feed: "people", blank: OldPerson()) {
    Column("name", \.name)
  }
}

// snippet: person
struct Person: Record, Equatable {
  var id = RecordID.zero
  var first = ""
  var last = ""

  static let table = Table("person", feed: "people", blank: Person()) {
    Column("first", \.first)
    Column("last", \.last)
  }
}
// end

struct Member: Record, Equatable {
  var id = RecordID.zero
  var name = ""

  static let table = Table("member", feed: "people", blank: Member()) {
    Column("name", \.name)
  }
}

@Suite struct MigratingTests {
  let place: Place

  init() throws { place = try Place() }

  /// A file of the first version with one person.
  private func fill() async throws {
    let old = try Store(place.folder, tables: [OldPerson.table], options: place.options())
    try await old.write { tx in try tx.insert(OldPerson(id: id(1), name: "Michael Ende")) }
    await old.close()
  }

  @Test func `a column is split by a named step`() async throws {
    try await fill()
    let folder = place.folder
    let options = place.options(schemaVersion: 2, seed: 2)
    // snippet: split
    let split = StoreMigration("v2-split-name", replacing: ["person.name"]) { tx in
      try tx.fill(Person.self) { person, earlier in
        let words = earlier["name", as: String.self]?.split(separator: " ") ?? []
        person.first = words.first.map { String($0) } ?? ""
        person.last = words.dropFirst().joined(separator: " ")
      }
    }
    let store = try Store(
      folder, tables: [Person.table], migrations: [split], options: options)
    // end
    let person = try await store.fetch(Person.self, id(1))
    #expect(person == Person(id: id(1), first: "Michael", last: "Ende"))
    await store.close()
  }

  @Test func `records move to another table under their ids`() async throws {
    try await fill()
    // snippet: move
    let move = StoreMigration("v2-members", replacing: ["person"]) { tx in
      try tx.forEachEarlierRecord(of: "person") { person in
        let name = person.fields["name", as: String.self] ?? ""
        try tx.insertSeed(Member(id: person.id, name: name), feed: person.feed)
      }
    }
    // end
    let store = try Store(
      place.folder, tables: [Member.table], migrations: [move],
      options: place.options(schemaVersion: 2, seed: 2))
    let member = try await store.fetch(Member.self, id(1))
    #expect(member == Member(id: id(1), name: "Michael Ende"))
    await store.close()
  }

  @Test func `rows that had numbers get ids`() async throws {
    let make = StoreMigration("v1-old-list") { tx in
      try tx.execute("CREATE TABLE old_list(number INTEGER PRIMARY KEY, title TEXT)")
      for title in ["Momo", "Emma"] {
        try tx.execute("INSERT INTO old_list(title) VALUES (\(title))")
      }
    }
    // snippet: backfill
    let takeOver = StoreMigration("v2-take-over-list") { tx in
      try tx.backfillIDs(in: "old_list", column: "uid")
      let rows = try tx.rows("SELECT uid, title FROM old_list") { row in
        (id: RecordID(bytes: row.bytes(0)), title: row.text(1))
      }
      for row in rows {
        guard let id = row.id else { continue }
        try tx.insertSeed(Book(id: id, title: row.title))
      }
    }
    // end
    let store = try Store(
      place.folder, tables: [Book.table], migrations: [make, takeOver], options: place.options())
    let titles = try await store.titles(Book.order(by: \.title))
    #expect(titles == ["Emma", "Momo"])
    let known = try await store.read { tx in
      try tx.value("SELECT count(*) FROM book JOIN old_list ON old_list.uid = book.id")
    }
    #expect(known == .integer(2))
    await store.close()
  }

  @Test func `what is declared is compared with the file of the last version`() throws {
    let steps = [StoreMigration("v2-split-name", replacing: ["person.name"]) { _ in }]
    let file = "\(place.path)/Schemas/library-1.schema"
    try SchemaDescription(name: "library", version: 1, tables: [OldPerson.table]).write(to: file)
    // snippet: schema-test
    let released = try SchemaDescription(text: String(contentsOfFile: file, encoding: .utf8))
    let declared = try SchemaDescription(
      name: "library", version: 2, tables: [Person.table], migrations: steps)
    let lost = declared.differences(from: released).filter { $0.effect == .destruction }
    #expect(lost.map(\.message) == [])
    // end
    let without = try SchemaDescription(name: "library", version: 2, tables: [Person.table])
    let wrong = without.differences(from: released).filter { $0.effect == .destruction }
    #expect(wrong.count == 1 && wrong[0].message.hasPrefix("gone: column person.name; "))
  }

  private func reason(_ store: Store) -> String? {
    // snippet: read-only-reason
    if let reason = store.readOnlyReason {
      return reason.message
    }
    // end
    return nil
  }

  @Test func `a file of a newer version is read and not written`() async throws {
    try await fill()
    let newer = try Store(
      place.folder, tables: [OldPerson.table], options: place.options(schemaVersion: 3, seed: 3))
    await newer.close()
    let store = try Store(
      place.folder, tables: [OldPerson.table], options: place.options(schemaVersion: 2, seed: 4))
    let words = reason(store)
    let names = try await store.read { tx in try tx.fetch(OldPerson.all, \.name) }
    #expect(words?.hasSuffix("update the app") == true)
    #expect(names == ["Michael Ende"])
    await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.insert(OldPerson(name: "Nobody")) }
    }
    await store.close()
  }
}

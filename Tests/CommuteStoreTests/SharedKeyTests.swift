import CommuteCore
import CommuteSQLite
import CommuteStore
import StoreSupport
import Testing

/// A word that many devices add apart, and that is one record all the same.
private struct Label: Record, Equatable {
  var id = RecordID.zero
  var name: String? = ""
  var color = "grey"

  static let table = Table("label", feed: "library", rule: .editRevives, blank: Label()) {
    Column("name", \.name)
    Column("color", \.color)
    Unique(\.name, across: .sameRecord)
  }
}

/// A place of which the first to take it has it.
private struct Seat: Record, Equatable {
  var id = RecordID.zero
  var row = 0
  var number: Int?
  var guest = ""

  static let table = Table("seat", feed: "library", blank: Seat()) {
    Column("row", \.row)
    Column("number", \.number)
    Column("guest", \.guest)
    Unique(\.row, \.number, across: .first)
  }
}

/// What nobody can keep.
private struct Wrong: Record {
  var id = RecordID.zero
  var name = ""
  var count = 0

  static let withoutRevival = Table("wrong", feed: "library", blank: Wrong()) {
    Column("name", \.name)
    Unique(\.name, across: .sameRecord)
  }
  static let ofACount = Table("wrong", feed: "library", blank: Wrong()) {
    Column("count", \.count, merge: .counter)
    Unique(\.count, across: .first)
  }
  static let ofOneDevice = Table(local: "wrong", blank: Wrong()) {
    Column("name", \.name)
    Unique(\.name, across: .first)
  }
  static var table: Table<Wrong> { withoutRevival }
}

/// Keys that the server keeps, and the rule by which an edit brings a record back.
@Suite(.timeLimit(.minutes(2))) struct SharedKeyTests {
  let folder: TemporaryStore
  let store: Store
  let other: Store
  let server = SmallServer(tables: [Label.table.schema, Seat.table.schema])

  init() throws {
    let tables: [any TableDeclaration] = [Label.table, Seat.table]
    folder = try TemporaryStore()
    store = try folder.open(tables)
    var options = folder.options(seed: 2)
    options.hostDirectory = nil
    other = try Store("\(folder.path)/other", tables: tables, options: options)
  }

  private func syncBoth() async throws {
    for one in [store, other, store] { try await one.syncAll(with: server) }
  }

  private func labels(_ store: Store) async throws -> [Label] {
    try await store.read { tx in try tx.fetch(Label.order(by: \.name)) }
  }

  @Test func `two devices that add one key apart have one record`() async throws {
    let id = try await store.write { tx in try tx.insert(Label(name: "sea", color: "blue")) }
    folder.time.advance(5_000)
    let same = try await other.write { tx in try tx.insert(Label(name: "sea", color: "green")) }
    #expect(id == same)
    #expect(Label.table.derivedID(of: Label(name: "sea")) == id)
    #expect(Label.table.derivedID(of: Label(name: "sea"), feed: "elsewhere") != id)
    #expect(Label.table.derivedID(of: Label(name: nil)) == nil)
    try await syncBoth()
    #expect(try await labels(store) == [Label(id: id, name: "sea", color: "green")])
    #expect(try await labels(other) == [Label(id: id, name: "sea", color: "green")])
    #expect(server.records.keys.filter { $0.table == "label" }.map(\.id) == [id])
    #expect(try await store.inbox().isEmpty)
    #expect(try await other.inbox().isEmpty)
  }

  @Test func `an id that does not come from the key is refused before anything is written`()
    async throws
  {
    let refusal = StoreError.derivedID(table: "label", columns: ["name"])
    await #expect(throws: refusal) {
      try await store.write { tx in try tx.insert(Label(id: id(1), name: "sea")) }
    }
    await #expect(throws: refusal) {
      try await store.write { tx in try tx.insert(Label(name: nil)) }
    }
    let sea = try await store.write { tx in try tx.insert(Label(name: "sea")) }
    await #expect(throws: refusal) {
      try await store.write { tx in try tx.update(Label.self, sea) { $0.name = "lake" } }
    }
    await #expect(throws: refusal) {
      try await store.write { tx in try tx.save(Label(id: sea, name: "lake")) }
    }
    await #expect(throws: StoreError.taken(table: "label", columns: ["name"], by: sea)) {
      try await store.write { tx in try tx.insert(Label(name: "sea", color: "red")) }
    }
    #expect(
      refusal.message
        == "ids of label come from name: give it a value, leave the id zero, and insert another"
        + " record instead of changing it")
    #expect(try await labels(store) == [Label(id: sea, name: "sea")])
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(1))
  }

  @Test func `saving and seeding find the record by its key`() async throws {
    let (first, second, seeded) = try await store.write { tx in
      let first = try tx.save(Label(name: "sea"))
      let second = try tx.save(Label(name: "sea", color: "blue"))
      return (first, second, try tx.insertSeed(Label(name: "sea", color: "black")))
    }
    #expect(first == second)
    #expect(seeded == .unchanged)
    #expect(try await labels(store) == [Label(id: first, name: "sea", color: "blue")])
  }

  @Test func `what was deleted is made again under its key, on all devices`() async throws {
    let id = try await store.write { tx in try tx.insert(Label(name: "sea", color: "blue")) }
    try await syncBoth()
    try await other.write { tx in _ = try tx.delete(Label.self, id) }
    try await syncBoth()
    #expect(try await labels(store).isEmpty)
    let again = try await store.write { tx in try tx.save(Label(name: "sea", color: "red")) }
    #expect(again == id)
    try await syncBoth()
    #expect(try await labels(store) == [Label(id: id, name: "sea", color: "red")])
    #expect(try await labels(other) == [Label(id: id, name: "sea", color: "red")])
    #expect(try folder.value("SELECT count(*) FROM c_tombstone") == .integer(0))
  }

  @Test func `an edit after a deletion elsewhere brings the record back`() async throws {
    let id = try await store.write { tx in try tx.insert(Label(name: "sea", color: "blue")) }
    try await syncBoth()
    try await store.write { tx in _ = try tx.delete(Label.self, id) }
    folder.time.advance(5_000)
    try await other.write { tx in _ = try tx.update(Label.self, id) { $0.color = "red" } }
    try await syncBoth()
    #expect(try await labels(store) == [Label(id: id, name: "sea", color: "red")])
    #expect(try await labels(other) == [Label(id: id, name: "sea", color: "red")])
  }

  @Test func `of two records with one key the later goes to the inbox of its writer`()
    async throws
  {
    let mine = try await store.write { tx in
      try tx.insert(Seat(row: 1, number: 7, guest: "Ada"))
    }
    try await other.write { tx in _ = try tx.insert(Seat(row: 1, number: 7, guest: "Bob")) }
    try await syncBoth()
    let refused = try await other.inbox()
    #expect(refused.count == 1)
    #expect(try await store.inbox().isEmpty)
    let seats = try await other.read { tx in try tx.fetch(Seat.all) }
    #expect(seats == [Seat(id: mine, row: 1, number: 7, guest: "Ada")])
  }

  @Test func `a key is kept in each feed apart, and where it is whole`() async throws {
    let mine = try await store.write { tx in
      try tx.insert(Seat(row: 1, number: 7))
    }
    try await store.write { tx in
      try tx.insert(Seat(row: 1, number: 7), feed: "elsewhere")
      try tx.insert(Seat(row: 1, number: nil))
      try tx.insert(Seat(row: 1, number: nil))
    }
    let later = try await store.write { tx in try tx.insert(Seat(row: 1, number: 8)) }
    let taken = StoreError.taken(table: "seat", columns: ["row", "number"], by: mine)
    await #expect(throws: taken) {
      try await store.write { tx in try tx.insert(Seat(row: 1, number: 7)) }
    }
    await #expect(throws: taken) {
      try await store.write { tx in try tx.update(Seat.self, later) { $0.number = 7 } }
    }
    try await store.syncAll(with: server)
    #expect(try await store.inbox().isEmpty)
    #expect(server.records.count == 5)
  }

  @Test func `both ends read the rules of a table in one text`() throws {
    let schema = try Schema(
      name: "library", version: 1, tables: [Label.table.schema, Seat.table.schema])
    let lines = schema.canonicalText.split(separator: "\n")
    #expect(lines.contains("table label editRevives"))
    #expect(lines.contains("unique sameRecord name"))
    #expect(lines.contains("table seat deleteWins"))
    #expect(lines.contains("unique first number row"))
  }

  @Test(arguments: [
    (
      Wrong.withoutRevival,
      "wrong cannot keep name unique: under deleteWins a deleted record could never be made again;"
        + " use editRevives"
    ),
    (
      Wrong.ofACount,
      "wrong cannot keep count unique: count must have the rule latest, serverWins or clientWins"
    ),
    (
      Wrong.ofOneDevice,
      "wrong is this device's alone, so no server keeps its keys; leave out `across`"
    ),
  ])
  private func `a key that cannot be kept is named when the store is opened`(
    _ table: Table<Wrong>, _ reason: String
  ) throws {
    let folder = try TemporaryStore()
    #expect(throws: StoreError.declaration(reason: reason)) { _ = try folder.open([table]) }
  }
}

import CommuteCore
import Testing

/// Keys that belong to one record of a feed.
@Suite struct UniqueTests {
  static let member = TableSchema(
    "member",
    fields: [
      FieldSchema("club", .text, isOptional: true), FieldSchema("number", .integer),
      FieldSchema("name", .text),
    ], rule: .editRevives, unique: [UniqueKey("club", "number", rule: .first)])
  static let tag = TableSchema(
    "tag", fields: [FieldSchema("color", .text), FieldSchema("name", .text, isOptional: true)],
    rule: .editRevives, unique: [UniqueKey("name", rule: .sameRecord)])

  var family = FamilyBench()

  init() {
    family.bench.settlement.tables["member"] = Self.member
    family.bench.settlement.tables["tag"] = Self.tag
  }

  private static func seat(_ club: String?, _ number: Int64) -> FieldMap<FieldValue> {
    ["club": club.map { .text($0) } ?? .null, "number": .integer(number)]
  }

  private static func isTaken(_ verdict: Verdict, by number: UInt64) -> Bool {
    verdict.kind.code == .taken && verdict.holder == RecordID(high: 1, low: number)
  }

  @Test mutating func `the record that comes first keeps the key`() {
    #expect(family.make("member", 1, Self.seat("chess", 7)).kind == .applied)
    let verdict = family.make("member", 2, Self.seat("chess", 7), at: 400, by: 2)
    #expect(Self.isTaken(verdict, by: 1))
    #expect(verdict.record == nil)
    #expect(family.state("member", 2) == nil)
    guard case .rejected(_, let message) = verdict.kind else { return }
    #expect(message.hasPrefix("member: another record has this club, number, 0000"))
  }

  @Test mutating func `what differs in a field, has a null or another feed is in nobody's way`() {
    family.make("member", 1, Self.seat("chess", 7))
    #expect(family.make("member", 2, Self.seat("chess", 8)).kind == .applied)
    #expect(family.make("member", 3, Self.seat(nil, 7)).kind == .applied)
    #expect(family.make("member", 4, Self.seat(nil, 7)).kind == .applied)
    #expect(family.make("member", 5, ["name": .text("x")]).kind == .applied)
    #expect(family.make("member", 6, Self.seat("chess", 7), feed: "ben").kind == .applied)
    #expect(family.make("person", 7, Self.seat("chess", 7)).kind == .applied)
  }

  @Test mutating func `an edit that takes another record's key is refused, the record stays`() {
    family.make("member", 1, Self.seat("chess", 7))
    family.make("member", 2, Self.seat("chess", 8))
    let edit = family.operation("member", 2, ["number": .integer(7)], at: 900)
    let verdict = family.settle(edit)[0]
    #expect(Self.isTaken(verdict, by: 1))
    #expect(verdict.record?.state == family.state("member", 2))
    #expect(verdict.revision == family.state("member", 2)?.revision)
    #expect(family.value("member", 2, "number") == .integer(8))
  }

  @Test mutating func `a key is free when its record gives it up`() {
    family.make("member", 1, Self.seat("chess", 7))
    family.settle(family.operation("member", 1, ["number": .integer(9)], at: 600))
    #expect(family.make("member", 2, Self.seat("chess", 7)).kind == .applied)
    family.delete("member", 2)
    #expect(family.make("member", 3, Self.seat("chess", 7)).kind == .applied)
    // It does not come back to the record that was deleted.
    let revived = family.operation(
      "member", 2, ["club": .text("chess"), "number": .integer(7)], at: 2_000)
    #expect(Self.isTaken(family.settle(revived)[0], by: 3))
    #expect(!family.isAlive("member", 2))
  }

  @Test mutating func `what was doubled before the key was declared can still be edited`() {
    family.bench.settlement.tables["member"] = nil
    family.make("member", 1, Self.seat("chess", 7))
    family.make("member", 2, Self.seat("chess", 7))
    family.bench.settlement.tables["member"] = Self.member
    let name = family.operation("member", 2, ["name": .text("Ada")], at: 900)
    #expect(family.settle(name)[0].kind == .applied)
    #expect(Self.isTaken(family.make("member", 3, Self.seat("chess", 7)), by: 1))
  }

  @Test mutating func `an offer that would double a key goes to the inbox of its device`() {
    family.bench.settlement.takesOffers = true
    family.make("member", 1, Self.seat("chess", 7))
    let fields = Self.seat("chess", 7).mapValues {
      FieldState(value: $0, stamp: ServerBench.stamp(300))
    }
    var request = family.bench.request([])
    request.offers = [
      SyncRequest.Offer(
        id: OperationID(high: 9, low: 1), feed: "books",
        record: RecordMessage(
          key: FamilyBench.key("member", 2),
          state: RecordState(
            revision: Revision(epoch: Epoch(rawValue: 3), number: 9), fields: fields)))
    ]
    #expect(Self.isTaken(family.bench.settle(request)[0], by: 1))
    #expect(family.state("member", 2) == nil)
  }

  // MARK: - States that are not whole

  @Test mutating func `a store loads who has the keys that a record may get`() {
    let settlement = family.bench.settlement
    let key = FamilyBench.key("member", 2)
    let unique = UniqueKey("club", "number", rule: .first)
    func identity(_ club: String, _ number: Int64) -> RecordID? {
      let values = Self.seat(club, number)
      return unique.identity(feed: "books", table: "member") { values[$0] }
    }
    let stored = StoredRecord(
      feed: "books",
      state: RecordState(
        fields: Self.seat("chess", 7).mapValues { FieldState(value: $0, stamp: .floor) }))
    let found = settlement.uniqueIdentities(
      of: Self.seat("go", 8), on: stored, key: key, feed: "books")
    #expect(
      Set(found)
        == Set([("go", 8), ("go", 7), ("chess", 8), ("chess", 7)].compactMap { identity($0, $1) }))
    #expect(
      settlement.uniqueIdentities(
        of: ["name": .text("x")], on: stored, key: key, feed: "books") == [])
    var deleted = stored
    deleted.state.deleted = ServerBench.stamp(5)
    #expect(
      settlement.uniqueIdentities(
        of: ["name": .text("x")], on: deleted, key: key, feed: "books")
        == [identity("chess", 7)].compactMap { $0 })
    #expect(
      settlement.uniqueIdentities(
        of: ["name": .text("x")], on: nil, key: FamilyBench.key("tag", 1), feed: "books") == [])
  }

  @Test mutating func `in a state that is not whole what was loaded decides, and is kept true`() {
    family.bench.state.isWhole = false
    let make = family.operation("member", 1, Self.seat("chess", 7), creates: true)
    let verdict = family.settle(make)[0]
    // Nobody looked who has the key.
    #expect(verdict.kind == .later(.unavailable, afterMilliseconds: 0))
    let unique = UniqueKey("club", "number", rule: .first)
    let values = Self.seat("chess", 7)
    guard let identity = unique.identity(feed: "books", table: "member", values: { values[$0] })
    else { return }
    family.bench.state.holders[identity] = []
    #expect(family.settle(make)[0].kind == .applied)
    #expect(family.bench.state.holders[identity] == [RecordID(high: 1, low: 1)])
    #expect(Self.isTaken(family.make("member", 2, values), by: 1))
    family.delete("member", 1)
    #expect(family.bench.state.holders[identity] == [])
    #expect(family.make("member", 2, values).kind == .applied)
    #expect(family.bench.state.openDeletions.isEmpty)
  }

  @Test mutating func `an operation finds what it needs, loaded or not`() {
    family.bench.state.isWhole = false
    var operation = family.operation("item", 1, ["title": .text("a")], creates: true)
    operation.needs = [FamilyBench.key("list", 1)]
    #expect(family.settle(operation)[0].kind == .later(.needs, afterMilliseconds: 5_000))
    family.bench.state.present = [FamilyBench.key("list", 1)]
    #expect(family.settle(operation)[0].kind == .applied)
  }

  @Test mutating func `a store that goes on with a deletion itself is told which`() {
    family.make("list", 1, ["title": .text("a")])
    family.make("item", 1, ["list": FamilyBench.naming(1)])
    family.bench.state.isWhole = false
    family.delete("list", 1, user: "ben")
    #expect(
      family.bench.outcome.openDeletions
        == [OpenDeletion(parent: FamilyBench.key("list", 1), author: "ben")])
    #expect(family.isAlive("item", 1))
    var outcome = Settlement.Outcome()
    let settlement = family.bench.settlement
    for _ in 0..<2 {
      settlement.follow(
        FamilyBench.key("item", 1), in: &family.bench.state, outcome: &outcome, author: "ben")
    }
    settlement.follow(
      FamilyBench.key("item", 2), in: &family.bench.state, outcome: &outcome, author: "ben")
    #expect(!family.isAlive("item", 1))
    #expect(outcome.changedRecords == [FamilyBench.key("item", 1)])
    #expect(outcome.openDeletions.map(\.parent) == [FamilyBench.key("item", 1)])
  }

  // MARK: - sameRecord

  @Test mutating func `records of one key are one record whose id is derived from it`() throws {
    let values: FieldMap<FieldValue> = ["color": .text("red"), "name": .text("home")]
    let id = try #require(Self.tag.derivedID(feed: "books") { values[$0] })
    func make(_ replica: UInt64, _ color: String, _ family: inout FamilyBench) -> Operation {
      var operation = family.operation(
        "tag", 1, ["color": .text(color), "name": .text("home")], at: 500 + replica, by: replica,
        creates: true)
      operation.key.id = id
      return operation
    }
    #expect(family.settle(make(1, "red", &family))[0].kind == .applied)
    #expect(family.settle(make(2, "blue", &family))[0].kind == .applied)
    let key = RecordKey(table: "tag", id: id)
    #expect(family.bench.state.records[key]?.state.fields["color"]?.value == .text("blue"))
    // Deleted and made again it is the same record.
    var deletion = family.operation("tag", 1, at: 900, deletes: true)
    deletion.key.id = id
    family.settle(deletion)
    #expect(family.bench.state.records[key]?.state.deleted != nil)
    var again = make(3, "green", &family)
    for name in again.fields.names { again.fields[name]?.stamp = ServerBench.stamp(950, by: 3) }
    #expect(family.settle(again)[0].kind == .applied)
    #expect(family.bench.state.records[key]?.state.deleted == nil)
  }

  @Test mutating func `an id that does not come from the key is refused`() throws {
    let verdict = family.make("tag", 1, ["name": .text("home")])
    #expect(
      verdict.kind
        == .rejected(.invalid, message: "tag: the record's id is not the one of its name"))
    #expect(family.make("tag", 2, ["color": .text("red")]).kind.code == .invalid)
    let id = try #require(Self.tag.derivedID(feed: "books") { _ in .text("home") })
    var make = family.operation("tag", 1, ["name": .text("home")], creates: true)
    make.key.id = id
    #expect(family.settle(make)[0].kind == .applied)
    var edit = family.operation("tag", 1, ["name": .text("work")], at: 900)
    edit.key.id = id
    #expect(family.settle(edit)[0].kind.code == .invalid)
    var color = family.operation("tag", 1, ["color": .text("red")], at: 900)
    color.key.id = id
    #expect(family.settle(color)[0].kind == .applied)
  }
}

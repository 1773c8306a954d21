import CommuteCore
import Testing

/// What becomes of records whose parents are deleted.
@Suite struct ReferenceTests {
  var family = FamilyBench()

  private static func naming(_ number: UInt64) -> FieldValue { FamilyBench.naming(number) }

  /// A list and a shelf with two items of both, each with a part.
  private mutating func furnish() {
    family.make("list", 1, ["title": .text("a")])
    family.make("shelf", 1, ["title": .text("b")])
    for number in [1, 2] as [UInt64] {
      family.make(
        "item", number,
        ["list": Self.naming(1), "shelf": Self.naming(1), "title": .text("c")])
      family.make("part", number, ["item": Self.naming(number)])
    }
  }

  @Test mutating func `children of a deleted record lose their reference to it`() {
    furnish()
    let head = family.bench.state.heads["books"]?.head ?? 0
    family.delete("shelf", 1, user: "ben")
    for number in [1, 2] as [UInt64] {
      let field = family.state("item", number)?.fields["shelf"]
      #expect(field?.value == .null)
      // Just above the value that was there, by the server itself.
      #expect(field?.stamp == Stamp(milliseconds: 500, counter: 1, replica: ServerBench.server))
      #expect(field?.origin == field?.stamp)
      #expect(family.state("item", number)?.author == "ben")
      #expect(family.state("item", number)?.revision?.number == head + 1 + number)
      #expect(family.value("item", number, "list") == Self.naming(1))
    }
    #expect(family.bench.outcome.changedRecords.count == 3)
    #expect(family.bench.state.openDeletions.isEmpty)
  }

  @Test mutating func `what goes with a deleted record takes along what goes with it`() {
    furnish()
    family.delete("list", 1, user: "ben")
    for number in [1, 2] as [UInt64] {
      #expect(!family.isAlive("item", number))
      #expect(!family.isAlive("part", number))
      #expect(family.state("part", number)?.author == "ben")
      #expect(
        family.state("item", number)?.deleted
          == Stamp(milliseconds: 500, counter: 1, replica: ServerBench.server))
    }
    #expect(family.isAlive("shelf", 1))
    #expect(family.value("item", 1, "shelf") == Self.naming(1))
  }

  @Test mutating func `a reference that is kept goes on naming what is gone`() {
    family.make("person", 1, ["title": .text("a")])
    family.make("item", 1, ["lender": Self.naming(1)])
    let before = family.state("item", 1)
    family.delete("person", 1)
    #expect(family.state("item", 1) == before)
    #expect(family.bench.outcome.openDeletions.isEmpty)
  }

  @Test mutating func `records that refer to each other in a circle are deleted once`() {
    family.make("item", 1, ["title": .text("a")])
    family.make("part", 1, ["item": Self.naming(1), "part": Self.naming(2)])
    family.make("part", 2, ["item": Self.naming(9), "part": Self.naming(1)])
    family.make("part", 3, ["item": Self.naming(9), "part": Self.naming(3)])
    family.delete("part", 2)
    #expect(!family.isAlive("part", 1))
    #expect(!family.isAlive("part", 2))
    #expect(family.isAlive("part", 3))
    #expect(family.isAlive("item", 1))
    let head = family.bench.state.heads["books"]?.head
    family.delete("part", 1)
    #expect(family.bench.state.heads["books"]?.head == head.map { $0 + 1 })
    // A record that refers to itself is deleted by itself only.
    family.delete("part", 3)
    #expect(!family.isAlive("part", 3))
  }

  @Test mutating func `a child that comes after its parent was deleted is treated alike`() {
    furnish()
    family.delete("list", 1)
    family.delete("shelf", 1)
    let verdict = family.make(
      "item", 5, ["shelf": Self.naming(1), "title": .text("late")], at: 2_000, by: 2)
    #expect(verdict.kind == .applied)
    #expect(verdict.record?.state.fields["shelf"]?.value == .null)
    #expect(verdict.record?.state.fields["title"]?.value == .text("late"))
    let gone = family.make("item", 6, ["list": Self.naming(1), "title": .text("x")], at: 2_000)
    #expect(gone.kind == .applied)
    #expect(gone.record?.state.deleted != nil)
    #expect(!family.isAlive("item", 6))
  }

  @Test mutating func `a purged parent is as deleted as any`() {
    family.bench.state.stubs.insert(FamilyBench.key("list", 1))
    family.bench.state.gone.insert(FamilyBench.key("shelf", 1))
    family.make("item", 1, ["list": Self.naming(1)])
    family.make("item", 2, ["shelf": Self.naming(1)])
    #expect(!family.isAlive("item", 1))
    #expect(family.value("item", 2, "shelf") == .null)
  }

  @Test mutating func `a parent that is not there yet is waited for`() {
    family.make("item", 1, ["list": Self.naming(1), "shelf": Self.naming(1)])
    #expect(family.isAlive("item", 1))
    #expect(family.value("item", 1, "shelf") == Self.naming(1))
    // It comes deleted already: made and deleted before it was sent.
    family.settle(family.operation("list", 1, at: 900, creates: true, deletes: true))
    #expect(!family.isAlive("item", 1))
  }

  @Test mutating func `whoever moved a child to another parent meanwhile wins`() {
    furnish()
    family.delete("shelf", 1)
    let before = ServerBench.stamp(500)
    let verdict = family.settle(
      family.operation(
        "item", 1, ["shelf": Self.naming(2)], at: 501, by: 2, over: before))[0]
    #expect(verdict.kind == .applied)
    #expect(family.value("item", 1, "shelf") == Self.naming(2))
    // Under deleteWins a deletion stands, and who moved the child is told.
    family.delete("list", 1)
    family.settle(family.operation("item", 1, ["list": Self.naming(2)], at: 2_000, by: 2))
    #expect(!family.isAlive("item", 1))
    #expect(family.bench.outcome.changedRecords.contains { $0.table == ConflictEntry.table })
  }

  @Test mutating func `under editRevives an edit brings no child of a deleted parent back`() {
    family.make("list", 1, ["title": .text("a")])
    family.make("note", 1, ["list": Self.naming(1), "title": .text("b")])
    family.delete("list", 1)
    let tombstone = family.state("note", 1)
    family.settle(family.operation("note", 1, ["title": .text("late")], at: 3_000, by: 2))
    #expect(family.state("note", 1) == tombstone)
    let told = family.bench.outcome.changedRecords.filter { $0.table == ConflictEntry.table }
    #expect(told.count == 1)
    // With another parent it lives.
    family.settle(
      family.operation(
        "note", 1, ["list": Self.naming(2), "title": .text("moved")], at: 4_000, by: 2))
    #expect(family.isAlive("note", 1))
    #expect(family.value("note", 1, "title") == .text("moved"))
  }

  @Test mutating func `a parent that lives again does not bring its children back`() {
    furnish()
    family.delete("list", 1)
    family.settle(family.operation("list", 1, ["title": .text("again")], at: 2_000))
    #expect(family.isAlive("list", 1))
    #expect(!family.isAlive("item", 1))
    family.make("item", 7, ["list": Self.naming(1)], at: 2_000)
    #expect(family.isAlive("item", 7))
  }

  @Test mutating func `children in other feeds are treated alike, whoever may write there`() {
    family.make("list", 1, ["title": .text("a")], feed: "lists")
    family.make("item", 1, ["list": Self.naming(1)], feed: "ben")
    family.bench.state.heads["ben"]?.isReadOnly = true
    family.delete("list", 1, feed: "lists")
    #expect(!family.isAlive("item", 1))
    #expect(family.state("item", 1)?.revision?.number == 2)
    #expect(family.bench.outcome.raisedFeeds.sorted() == ["ben", "lists"])
  }

  @Test mutating func `more children than a request treats follow in the next ones`() {
    family.make("list", 1, ["title": .text("a")])
    let count = UInt64(Settlement.childLimit) + 20
    for number in 1...count { family.make("item", number, ["list": Self.naming(1)]) }
    func alive() -> Int { (1...count).filter { family.isAlive("item", $0) }.count }
    family.delete("list", 1)
    #expect(alive() == 20)
    #expect(family.bench.state.openDeletions.first?.parent == FamilyBench.key("list", 1))
    family.settle(user: "cleo")
    #expect(alive() == 0)
    #expect(family.bench.state.openDeletions.isEmpty)
    #expect(family.state("item", count)?.author == "ada")
  }

  @Test mutating func `what was open for a parent that lives again is dropped`() {
    family.make("list", 1, ["title": .text("a")])
    family.make("item", 1, ["list": Self.naming(1)])
    family.bench.state.openDeletions = [
      OpenDeletion(parent: FamilyBench.key("list", 1), author: "ada")
    ]
    family.settle()
    #expect(family.isAlive("item", 1))
    #expect(family.bench.state.openDeletions.isEmpty)
  }

  @Test mutating func `an offer is treated as an edit is`() {
    family.bench.settlement.takesOffers = true
    family.make("list", 1, ["title": .text("a")])
    family.make("item", 1, ["list": Self.naming(1)])
    let earlier = Revision(epoch: Epoch(rawValue: 3), number: 9)
    let stamp = ServerBench.stamp(700)
    var request = family.bench.request([])
    request.offers = [
      SyncRequest.Offer(
        id: OperationID(high: 9, low: 1), feed: "books",
        record: RecordMessage(
          key: FamilyBench.key("list", 1),
          state: RecordState(revision: earlier, deleted: stamp))),
      SyncRequest.Offer(
        id: OperationID(high: 9, low: 2), feed: "books",
        record: RecordMessage(
          key: FamilyBench.key("item", 2),
          state: RecordState(
            revision: earlier,
            fields: ["list": FieldState(value: Self.naming(1), stamp: stamp)]))),
    ]
    family.bench.settle(request)
    #expect(!family.isAlive("item", 1))
    #expect(family.state("item", 2) != nil)
    #expect(!family.isAlive("item", 2))
  }

  @Test mutating func `a store loads the parents that an operation may give its record`() {
    let settlement = family.bench.settlement
    let make = family.operation(
      "item", 1, ["lender": Self.naming(4), "list": Self.naming(1), "shelf": Self.naming(2)])
    let expected = [FamilyBench.key("list", 1), FamilyBench.key("shelf", 2)]
    #expect(settlement.parents(of: make, on: nil) == expected)
    let state = RecordState(
      fields: [
        "list": FieldState(value: Self.naming(1), stamp: .floor),
        "shelf": FieldState(value: Self.naming(5), stamp: .floor),
      ], deleted: ServerBench.stamp(5))
    let stored = StoredRecord(feed: "books", state: state)
    let edit = family.operation("item", 1, ["list": Self.naming(1), "shelf": .null])
    #expect(
      settlement.parents(of: edit, on: stored)
        == [FamilyBench.key("list", 1), FamilyBench.key("shelf", 5)])
    #expect(settlement.parents(of: state, in: "book") == [])
    #expect(settlement.referrals(to: "person") == [])
    #expect(settlement.referrals(to: "list").map(\.table) == ["item", "note"])
    #expect(
      OpenDeletion(parent: FamilyBench.key("list", 1), author: "\u{e9}")
        != OpenDeletion(parent: FamilyBench.key("list", 1), author: "e\u{301}"))
    #expect(Set([OpenDeletion(parent: FamilyBench.key("list", 1), author: "a")]).count == 1)
  }

  @Test mutating func `ends that declare a reference differently are told so by name`() {
    var operation = family.operation("item", 1, ["list": Self.naming(1)], creates: true)
    operation.declares = ["reference list list nullify"]
    let verdict = family.settle(operation)[0]
    #expect(
      verdict.kind
        == .rejected(
          .rule,
          message: "item: the device knows 'reference list list nullify', the server"
            + " 'reference list list cascade'"))
    operation.declares = []
    #expect(
      family.settle(operation)[0].kind
        == .rejected(
          .rule,
          message: "item: the device knows no such declaration, the server"
            + " 'reference list list cascade'"))
    var unknown = family.operation("book", 1, ["title": .text("x")], creates: true)
    unknown.declares = ["unique first title"]
    #expect(
      family.settle(unknown)[0].kind
        == .rejected(
          .rule,
          message: "book: the device knows 'unique first title', the server no such declaration"))
  }

  @Test func `a device says with an operation what its schema declares`() throws {
    var device = DeviceRecord(key: FamilyBench.key("item", 1), feed: "books")
    device.table = FamilyBench.item
    var operation = Operation(
      id: OperationID(high: 0, low: 1), schema: 1, replica: ReplicaID(rawValue: 1),
      key: device.key, feed: "books", creates: true)
    for name in ["lender", "list", "title"] as [Key] {
      operation.fields[name] = OperationField(value: .null, stamp: ServerBench.stamp(1))
    }
    device.rows = [OutboxRow(operation: operation)]
    device.markInFlight(epoch: nil)
    #expect(device.rows[0].operation.declares == ["reference list list cascade"])
    device.table = nil
    device.rows = [OutboxRow(operation: operation)]
    device.markInFlight(epoch: nil)
    #expect(device.rows[0].operation.declares == [])
  }
}

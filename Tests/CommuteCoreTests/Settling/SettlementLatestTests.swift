import CommuteCore
import Testing

/// What settling makes of a record under `latest` and `deleteWins`.
@Suite struct SettlementLatestTests {
  var bench = ServerBench()

  @Test mutating func `the greatest stamp wins, whatever comes first`() {
    bench.create("later", at: ServerBench.stamp(600))
    let verdict = bench.settle(
      bench.operation(["title": "earlier"], at: ServerBench.stamp(500, by: 2)))
    #expect(verdict.kind == .applied)
    #expect(bench.title?.value == .text("later"))
    #expect(verdict.record?.state == bench.stored)
  }

  @Test mutating func `of equal stamps the greater canonical bytes win`() {
    bench.create("e\u{301}", at: .floor)
    bench.settle(bench.operation(["title": "\u{E9}"], at: .floor, creates: true))
    bench.settle(bench.operation(["title": "e"], at: .floor, creates: true))
    #expect(bench.title?.value == .text("\u{E9}"))
  }

  @Test mutating func `any edit wins over a seed`() {
    bench.create("z", at: .floor)
    bench.settle(bench.operation(["title": "a"], at: ServerBench.stamp(1)))
    bench.settle(bench.operation(["title": "zz"], at: .floor, creates: true))
    #expect(bench.title?.value == .text("a"))
  }

  @Test mutating func `fields are settled one by one`() {
    bench.create("a", at: ServerBench.stamp(500))
    bench.settle(bench.operation(["title": "b", "notes": "n"], at: ServerBench.stamp(400, by: 2)))
    #expect(bench.title?.value == .text("a"))
    #expect(bench.stored?.fields["notes"]?.value == .text("n"))
  }

  @Test mutating func `two creations of one record are one record`() {
    bench.create("a", at: ServerBench.stamp(500))
    let verdict = bench.settle(
      bench.operation(["title": "b"], at: ServerBench.stamp(600, by: 2), creates: true))
    #expect(verdict.kind == .applied)
    #expect(bench.title?.value == .text("b"))
  }

  // MARK: - Revisions

  @Test mutating func `every change gets the next number of its feed, and its author`() {
    bench.create("a", user: "ada")
    #expect(bench.stored?.revision == Revision(epoch: ServerBench.epoch, number: 1))
    #expect(bench.stored?.author == "ada")
    bench.settle(bench.operation(["title": "b"], at: ServerBench.stamp(600)), user: "ben")
    #expect(bench.stored?.revision?.number == 2)
    #expect(bench.stored?.author == "ben")
    #expect(bench.state.heads["books"]?.head == 2)
    #expect(bench.outcome.raisedFeeds == ["books"])
    #expect(bench.outcome.changedRecords == [ServerBench.key])
  }

  @Test mutating func `what changes nothing gets no number and no author`() {
    bench.create("a", user: "ada")
    let verdict = bench.settle(
      bench.operation(["title": "z"], at: ServerBench.stamp(1, by: 2)), user: "ben")
    #expect(verdict.revision?.number == 1)
    #expect(bench.stored?.author == "ada")
    #expect(!bench.outcome.changedRecords.contains(ServerBench.key))
  }

  @Test mutating func `a creation without fields makes a record`() {
    let verdict = bench.settle(bench.operation(creates: true))
    #expect(verdict.kind == .applied)
    #expect(bench.stored?.revision?.number == 1)
  }

  @Test mutating func `records changed in one request have numbers of their own`() {
    let keys = (1...3).map { RecordKey(table: "book", id: RecordID(high: 0, low: $0)) }
    let operations = keys.map { bench.operation(["title": "a"], creates: true, key: $0) }
    let request = bench.request(operations)
    let verdicts = bench.settle(request)
    #expect(verdicts.map { $0.revision?.number } == [1, 2, 3])
  }

  // MARK: - Leaving the record out

  @Test mutating func `the record is left out where the device can tell it`() {
    let first = bench.settle(bench.operation(["title": "a"], creates: true))
    let second = bench.settle(
      bench.operation(["title": "b"], at: ServerBench.stamp(600), base: 1))
    #expect(first.record == nil)
    #expect(second.record == nil)
    #expect(second.revision?.number == 2)
  }

  @Test mutating func `it is told where the device held another revision`() {
    bench.create("a")
    bench.settle(bench.operation(["notes": "n"], at: ServerBench.stamp(550, by: 2)))
    let behind = bench.settle(
      bench.operation(["title": "b"], at: ServerBench.stamp(600), base: 1))
    let none = bench.settle(bench.operation(["title": "c"], at: ServerBench.stamp(700)))
    #expect(behind.record?.state.fields.names == ["notes", "title"])
    #expect(none.record?.state == bench.stored)
  }

  @Test mutating func `it is told where a base is named for a record that was new`() {
    let verdict = bench.settle(bench.operation(["title": "a"], creates: true, base: 4))
    #expect(verdict.record?.state == bench.stored)
  }

  @Test mutating func `it is told where a field was stored otherwise than sent`() {
    bench.create("z", at: ServerBench.stamp(900))
    let lost = bench.settle(
      bench.operation(["title": "a"], at: ServerBench.stamp(600, by: 2), base: 1))
    #expect(lost.record?.state == bench.stored)
  }

  // MARK: - Tombstones

  @Test mutating func `a deletion hides the record and keeps it`() {
    bench.create("a")
    let verdict = bench.settle(
      bench.operation(deleted: ServerBench.stamp(700), base: 1))
    #expect(verdict.kind == .applied)
    #expect(verdict.record == nil)
    #expect(bench.stored?.deleted == ServerBench.stamp(700))
    #expect(bench.title?.value == .text("a"))
    #expect(bench.stored?.revision?.number == 2)
  }

  @Test mutating func `an edit of a deleted record is settled by its tombstone`() {
    bench.create("a")
    bench.settle(bench.operation(deleted: ServerBench.stamp(700)))
    let verdict = bench.settle(
      bench.operation(["title": "b"], at: ServerBench.stamp(900, by: 2), base: 1))
    #expect(verdict.kind == .applied)
    #expect(verdict.record?.state.deleted == ServerBench.stamp(700))
    #expect(bench.title?.value == .text("a"))
    #expect(!bench.outcome.changedRecords.contains(ServerBench.key))
  }

  @Test mutating func `a creation of a deleted record does not bring it back`() {
    bench.create("a")
    bench.settle(bench.operation(deleted: ServerBench.stamp(700)))
    let verdict = bench.settle(
      bench.operation(["title": "b"], at: ServerBench.stamp(900), creates: true))
    #expect(verdict.record?.state.deleted != nil)
    #expect(bench.stored?.deleted == ServerBench.stamp(700))
  }

  @Test mutating func `of two deletions the later one counts, in any order`() {
    bench.create("a")
    bench.settle(bench.operation(deleted: ServerBench.stamp(800, by: 2)))
    bench.settle(bench.operation(deleted: ServerBench.stamp(700)))
    #expect(bench.stored?.deleted == ServerBench.stamp(800, by: 2))
    bench.settle(bench.operation(deleted: ServerBench.stamp(900)))
    #expect(bench.stored?.deleted == ServerBench.stamp(900))
  }

  @Test mutating func `fields and deletion of one operation are settled together`() {
    bench.create("a")
    bench.settle(
      bench.operation(
        ["title": "b"], at: ServerBench.stamp(600), deleted: ServerBench.stamp(601)))
    #expect(bench.title?.value == .text("b"))
    #expect(bench.stored?.deleted == ServerBench.stamp(601))
  }
}

import CommuteCore
import Testing

/// A refused change that is made once more means the same under each rule.
@Suite struct RuleRetryTests {
  var bench = RuleBench()

  private mutating func start() throws {
    try bench.create(
      0,
      [
        "best": .integer(5), "both": .text("b"), "count": .integer(2), "labels": .list(["a", "b"]),
        "note": .text("one two"), "title": .text("t"),
      ])
    try bench.sync()
  }

  /// Lets the first phone's next operation be refused.
  private mutating func refuse() throws -> [Operation] {
    let operation = try bench.sent(0)
    let outcome = bench.take(
      0, Verdict(id: operation.id, kind: .rejected(.invalid, message: "no")))
    return outcome.rejections.map(\.row.operation)
  }

  private mutating func retry(_ refused: [Operation]) throws {
    _ = try bench.write(0) { (record, id, context) throws(WriteRefusal) in
      try record.retry(refused, newOperation: { id }, context: &context)
    }
  }

  @Test mutating func `a counter's share is added to what the counter is by now`() throws {
    try start()
    try bench.edit(0, ["count": .add(5)])
    let refused = try refuse()
    try bench.edit(0, ["count": .add(1)])
    try bench.push(0)
    try bench.edit(1, ["count": .add(10)])
    try bench.push(1)
    bench.pull(0)
    #expect(bench.shown(0, "count") == .integer(13))
    try retry(refused)
    #expect(bench.shown(0, "count") == .integer(18))
    try bench.sync()
    #expect(bench.held("count") == .integer(18))
  }

  @Test mutating func `a share that falls is taken away once more`() throws {
    try start()
    try bench.edit(0, ["count": .add(-7)])
    let refused = try refuse()
    #expect(refused[0].fields["count"]?.wanted == .integer(-7))
    try retry(refused)
    #expect(bench.shown(0, "count") == .integer(-5))
  }

  @Test mutating func `a set gets and loses what it was to get and lose`() throws {
    try start()
    try bench.edit(0, ["labels": .elements(insert: ["c"], remove: ["a"])])
    let refused = try refuse()
    #expect(refused[0].fields["labels"]?.wanted == .list(["c"]))
    try bench.edit(1, ["labels": .insert("d")])
    try bench.sync()
    try retry(refused)
    try bench.sync()
    #expect(bench.held("labels") == .list(["b", "c", "d"]))
  }

  @Test mutating func `a text is merged with what it is by now`() throws {
    try start()
    try bench.set(0, ["note": .text("one two three")])
    let refused = try refuse()
    try retry(refused)
    #expect(bench.phones[0].record.rows.last?.operation.fields["note"]?.base == .text("one two"))
    try bench.sync()
    #expect(bench.held("note") == .text("one two three"))
  }

  @Test mutating func `what would not be chosen any more is not written`() throws {
    try start()
    try bench.set(0, ["best": .integer(7)])
    let refused = try refuse()
    try bench.set(1, ["best": .integer(9)])
    try bench.sync()
    try retry(refused)
    #expect(bench.phones[0].record.rows.isEmpty)
    #expect(bench.shown(0, "best") == .integer(9))
  }

  @Test mutating func `a creation comes back with sums and sets`() throws {
    try bench.create(0, ["count": .integer(3), "labels": .list(["x"]), "title": .text("t")])
    let refused = try refuse()
    #expect(bench.phones[0].record.view == nil)
    try retry(refused)
    try bench.sync()
    #expect(bench.held("count") == .integer(3))
    #expect(bench.held("labels") == .list(["x"]))
    #expect(bench.held("title") == .text("t"))
  }

  @Test mutating func `a set comes back with a change behind it that leaves it alone`() throws {
    try bench.create(0, ["labels": .list(["x"]), "title": .text("t")])
    let created = try bench.sent(0)
    try bench.set(0, ["title": .text("u")])
    let outcome = bench.take(
      0, Verdict(id: created.id, kind: .rejected(.invalid, message: "no")))
    #expect(outcome.rejections.count == 2)
    try retry(outcome.rejections.map(\.row.operation))
    try bench.sync()
    #expect(bench.held("labels") == .list(["x"]))
    #expect(bench.held("title") == .text("u"))
  }

  @Test mutating func `a seed and a count that were refused both stay parts of the sum`() throws {
    try bench.seed(0, ["count": .integer(3)])
    let seeded = try bench.sent(0)
    try bench.edit(0, ["count": .add(1)])
    let outcome = bench.take(
      0, Verdict(id: seeded.id, kind: .rejected(.invalid, message: "no")))
    try bench.seed(1, ["count": .integer(3)])
    try bench.sync()
    try retry(outcome.rejections.map(\.row.operation))
    try bench.sync()
    #expect(bench.held("count") == .integer(4))
  }

  @Test(arguments: [2, -2] as [Int64]) mutating func `what was counted over a seed is not lost`(
    amount: Int64
  ) throws {
    try bench.seed(0, ["count": .integer(3)])
    try bench.edit(0, ["count": .add(amount)])
    let refused = try refuse()
    try retry(refused)
    try bench.sync()
    #expect(bench.held("count") == .integer(3 + amount))
  }

  @Test mutating func `a seed stays everybody's where its row holds a count as well`() throws {
    try bench.seed(0, ["count": .integer(3), "labels": .list(["x"])])
    try bench.edit(0, ["count": .add(1), "labels": .insert("y")])
    let refused = try refuse()
    #expect(refused.count == 1)
    try bench.seed(1, ["count": .integer(3), "labels": .list(["x"])])
    try bench.sync()
    try retry(refused)
    try bench.sync()
    #expect(bench.held("count") == .integer(4))
    try bench.edit(1, ["labels": .remove("x")])
    try bench.sync()
    #expect(bench.held("labels") == .list(["y"]))
  }

  @Test mutating func `what was seeded and removed in one row is removed again`() throws {
    try bench.seed(0, ["labels": .list(["x", "y"])])
    try bench.edit(0, ["labels": .remove("x")])
    try retry(try refuse())
    try bench.sync()
    #expect(bench.held("labels") == .list(["y"]))
    try bench.seed(1, ["labels": .list(["x", "y"])])
    try bench.sync()
    #expect(bench.held("labels") == .list(["y"]))
  }

  @Test(arguments: [["x", "y"], ["x"]])
  mutating func `what was seeded, removed and added anew comes back as a decision`(
    seeds: [String]
  ) throws {
    try bench.seed(0, ["labels": .list(seeds)])
    let seeded = try bench.sent(0)
    try bench.edit(0, ["labels": .remove("x")])
    try bench.edit(0, ["labels": .insert("x")])
    let outcome = bench.take(
      0, Verdict(id: seeded.id, kind: .rejected(.invalid, message: "no")))
    try retry(outcome.rejections.map(\.row.operation))
    let change = try #require(bench.phones[0].record.rows.first?.operation.fields["labels"])
    #expect(!change.stamp.isFloor)
    // Who takes the seeds away takes nothing of what somebody added.
    try bench.seed(1, ["labels": .list(seeds)])
    try bench.edit(1, ["labels": .elements(insert: [], remove: seeds)])
    try bench.sync()
    #expect(bench.held("labels") == .list(["x"]))
  }

  @Test mutating func `a seed of sums and sets comes back as one`() throws {
    try bench.seed(0, ["count": .integer(3), "labels": .list(["x"]), "title": .text("t")])
    let refused = try refuse()
    try retry(refused)
    let fields = try #require(bench.phones[0].record.rows.first?.operation.fields)
    #expect(fields == refused[0].fields)
    try bench.sync()
    #expect(bench.held("count") == .integer(3))
    #expect(bench.held("labels") == .list(["x"]))
  }

  @Test mutating func `an edit of a deleted record revives it where the table says so`() throws {
    bench = RuleBench(table: RuleTable.reviving)
    try start()
    try bench.set(0, ["title": .text("mine")])
    let refused = try refuse()
    try bench.delete(1)
    try bench.push(1)
    bench.pull(0)
    #expect(bench.phones[0].record.view?.deleted != nil)
    try retry(refused)
    #expect(bench.phones[0].record.view?.deleted == nil)
    #expect(bench.shown(0, "title") == .text("mine"))
  }
}

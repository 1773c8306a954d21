import CommuteCore
import Testing

/// A change that is refused although it was applied: the answer was lost, and the server remembers
/// it no longer, or a copy of the file had sent it.
@Suite struct AppliedRefusalTests {
  var bench = RuleBench()

  init() throws {
    try bench.create(
      0, ["title": .text("a"), "server": .text("a"), "both": .text("a"), "count": .integer(0)])
    try bench.sync()
  }

  /// The first row is applied, but its phone hears that it is refused, with the record as it is.
  private mutating func applyAndRefuse() throws -> DeviceRecord.Outcome {
    let operation = try bench.sent(0)
    _ = bench.settle(0, [operation], user: "ada")
    return bench.take(
      0,
      Verdict(
        id: operation.id, kind: .rejected(.expired, message: "too late"),
        record: bench.stored.map { RecordMessage(key: RuleTable.key, state: $0) }))
  }

  @Test mutating func `what stands behind it has seen it, and nothing is told to have lost`() throws
  {
    try bench.set(0, ["title": .text("b"), "server": .text("b"), "both": .text("b")])
    _ = try bench.sent(0)
    try bench.set(0, ["title": .text("c"), "server": .text("c"), "both": .text("c")])
    let outcome = try applyAndRefuse()
    #expect(outcome.rejections.count == 1)
    try bench.sync()
    #expect(bench.held("title") == .text("c"))
    #expect(bench.held("server") == .text("c"))
    #expect(bench.stored?.fields["both"]?.siblings.map(\.value) == [.text("c")])
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `what is counted behind it counts on from it`() throws {
    try bench.edit(0, ["count": .add(2), "title": .set(.text("b"))])
    _ = try bench.sent(0)
    try bench.edit(0, ["count": .add(5)])
    _ = try applyAndRefuse()
    #expect(bench.shown(0, "count") == .integer(7))
    try bench.sync()
    #expect(bench.held("count") == .integer(7))
  }

  @Test mutating func `what is made once more counts only once`() throws {
    try bench.edit(0, ["count": .add(2), "title": .set(.text("b"))])
    _ = try bench.sent(0)
    let refused = try applyAndRefuse().rejections.map(\.row.operation)
    #expect(refused.map(\.fields.names) == [["title"]])
    try bench.retry(0, refused)
    #expect(bench.shown(0, "count") == .integer(2))
    try bench.sync()
    #expect(bench.held("count") == .integer(2))
  }

  @Test mutating func `of a count that is there nothing was refused`() throws {
    try bench.edit(0, ["count": .add(2)])
    _ = try bench.sent(0)
    let outcome = try applyAndRefuse()
    #expect(outcome.isSettled)
    #expect(outcome.rejections.isEmpty)
    #expect(bench.shown(0, "count") == .integer(2))
  }

  @Test mutating func `where another machine counts under its id a person decides`() throws {
    try bench.edit(0, ["count": .add(2)])
    let operation = try bench.sent(0)
    // Its file is copied to a machine that has counted more.
    var other = bench
    try other.sync()
    try other.edit(0, ["count": .add(5)])
    try other.sync()
    let outcome = bench.take(
      0,
      Verdict(
        id: operation.id, kind: .rejected(.expired, message: "too late"),
        record: other.stored.map { RecordMessage(key: RuleTable.key, state: $0) }))
    #expect(outcome.rejections.map(\.row.operation.fields.names) == [["count"]])
    #expect(bench.shown(0, "count") == .integer(7))
  }

  @Test mutating func `of a record that shows another's value it is taken out`() throws {
    try bench.set(0, ["server": .text("b")])
    let operation = try bench.sent(0)
    try bench.set(0, ["server": .text("c")])
    try bench.set(1, ["server": .text("x")])
    try bench.push(1)
    bench.take(
      0,
      Verdict(
        id: operation.id, kind: .rejected(.expired, message: "too late"),
        record: bench.stored.map { RecordMessage(key: RuleTable.key, state: $0) }))
    try bench.sync()
    #expect(bench.held("server") == .text("x"))
    #expect(bench.conflicts.map(\.lost) == [.text("c")])
  }

  @Test mutating func `a field that the record does not have was not applied`() throws {
    try bench.set(0, ["note": .text("n"), "title": .text("b")])
    let operation = try bench.sent(0)
    let outcome = bench.take(
      0,
      Verdict(
        id: operation.id, kind: .rejected(.expired, message: "too late"),
        record: bench.stored.map { RecordMessage(key: RuleTable.key, state: $0) }))
    #expect(outcome.rejections.map(\.row.operation.fields.names) == [["note", "title"]])
    try bench.retry(0, outcome.rejections.map(\.row.operation))
    try bench.sync()
    #expect(bench.held("note") == .text("n"))
  }

  @Test mutating func `a seed is nobody's, also where the record shows the same`() throws {
    try bench.seed(0, ["client": .text("s")])
    #expect(try applyAndRefuse().rejections.map(\.row.operation.fields.names) == [["client"]])
    #expect(bench.shown(0, "client") == .text("s"))
  }

  @Test mutating func `a seed behind a refused one keeps its whole value`() throws {
    var bench = RuleBench()
    try bench.seed(0, ["title": .text("t")])
    try bench.push(0)
    try bench.seed(0, ["count": .integer(1)])
    let operation = try bench.sent(0)
    try bench.seed(0, ["count": .integer(2)])
    bench.take(0, Verdict(id: operation.id, kind: .rejected(.invalid, message: "no")))
    #expect(bench.shown(0, "count") == .integer(2))
    try bench.sync()
    #expect(bench.held("count") == .integer(2))
  }
}

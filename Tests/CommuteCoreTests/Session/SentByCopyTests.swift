import CommuteCore
import Testing

/// A copy of the file has sent what this one still has in line, in other bytes.
@Suite struct SentByCopyTests {
  var bench = RuleBench()

  /// A value in flight, and one behind it that a copy lifts and sends; then the file goes back to
  /// when both waited, a value more under the copy's id among them if `writesBefore`.
  private mutating func sendFromCopy(_ field: Key, writesBefore: Bool) throws {
    try bench.create(0, [field: .text("a")])
    try bench.sync()
    try bench.set(0, [field: .text("b")])
    let first = try bench.sent(0)
    try bench.set(0, [field: .text("c")])
    bench.phones[0].clock.replica = ReplicaID(rawValue: 7)
    if writesBefore { try bench.set(0, [field: .text("d")]) }
    let copy = bench.phones[0]
    bench.time += 50_000
    bench.take(0, bench.settle(0, [first], user: "ada")[0])
    _ = bench.settle(0, [try bench.sent(0)], user: "ada")
    bench.phones[0] = copy
    bench.phones[0].clock.replica = ReplicaID(rawValue: 8)
    try bench.set(0, [field: .text("e")])
    bench.take(0, bench.settle(0, [first], user: "ada")[0])
    let verdict = bench.settle(0, [try bench.sent(0)], user: "ada")[0]
    #expect(verdict.kind.code == .mismatch)
    let outcome = bench.take(0, verdict)
    #expect(outcome.rejections.isEmpty)
  }

  @Test(arguments: [false, true])
  mutating func `what it has lifted is replaced by what stands behind`(writesBefore: Bool) throws {
    try sendFromCopy("both", writesBefore: writesBefore)
    try bench.sync()
    #expect(bench.stored?.fields["both"]?.siblings.map { $0.value } == [.text("e")])
  }

  @Test(arguments: ["client", "server", "title"] as [Key], [false, true])
  mutating func `what stands behind has seen what it has lifted`(
    field: Key, writesBefore: Bool
  ) throws {
    try sendFromCopy(field, writesBefore: writesBefore)
    try bench.sync()
    #expect(bench.held(field) == .text("e"))
    #expect(bench.shown(0, field) == .text("e"))
    #expect(bench.conflicts.isEmpty)
  }

  /// A value that waits behind another is lifted and sent by a copy that writes as `there`; the
  /// server forgets that, and this file lifts it as `here` and sends it once more.
  private mutating func sendTwice(there: UInt64, here: UInt64) throws {
    try bench.create(0, ["both": .text("a")])
    try bench.sync()
    try bench.set(0, ["both": .text("b")])
    let first = try bench.sent(0)
    try bench.set(0, ["both": .text("c")])
    let copy = bench.phones[0]
    bench.phones[0].clock.replica = ReplicaID(rawValue: there)
    bench.time += 50_000
    let settled = bench.settle(0, [first], user: "ada")[0]
    bench.take(0, settled)
    let sent = try bench.sent(0)
    _ = bench.settle(0, [sent], user: "ada")
    bench.state.operations[sent.id] = nil
    bench.phones[0] = copy
    bench.phones[0].clock.replica = ReplicaID(rawValue: here)
    bench.time += 1_000
    bench.take(0, settled)
    bench.phones[0].clock.replica = ReplicaID(rawValue: 8)
    try bench.set(0, ["both": .text("d")])
    let again = try bench.sent(0)
    #expect(again.fields["both"]?.stamp != sent.fields["both"]?.stamp)
    let verdict = bench.settle(0, [again], user: "ada")[0]
    #expect(verdict.kind == .applied)
    bench.take(0, verdict)
    try bench.sync()
  }

  @Test(arguments: [(1, 8), (7, 7)] as [(UInt64, UInt64)])
  mutating func `what the server has forgotten and gets once more is replaced, too`(
    there: UInt64, here: UInt64
  ) throws {
    try sendTwice(there: there, here: here)
    #expect(bench.stored?.fields["both"]?.siblings.map(\.value) == [.text("d")])
  }

  @Test mutating func `the same value of another replica stays`() throws {
    try sendTwice(there: 7, here: 8)
    #expect(bench.stored?.fields["both"]?.siblings.map(\.value) == [.text("c"), .text("d")])
  }

  // MARK: - Counts

  /// The first phone's change as its copy has sent it, which had counted under another id by then.
  private mutating func countElsewhere() throws -> (sent: Operation, thin: Operation) {
    try bench.create(0, ["count": .integer(0), "title": .text("a")])
    try bench.sync()
    try bench.edit(0, ["count": .add(2), "title": .set(.text("b"))])
    let sent = try bench.sent(0)
    var thin = sent
    thin.fields["count"] = nil
    return (sent, try Operation(decoding: thin.encoded()))
  }

  @Test mutating func `about a count that is not in it a person decides`() throws {
    let (sent, thin) = try countElsewhere()
    try bench.edit(0, ["count": .add(5)])
    bench.phones[0].clock.replica = ReplicaID(rawValue: 7)
    _ = bench.settle(0, [thin], user: "ada")
    let outcome = bench.take(0, bench.settle(0, [sent], user: "ada")[0])
    #expect(outcome.isSettled)
    let refused = outcome.rejections.map(\.row.operation)
    #expect(outcome.rejections.map(\.code) == [.mismatch])
    #expect(refused.map(\.fields.names) == [["count"]])
    #expect(refused.allSatisfy { !$0.creates })
    #expect(bench.shown(0, "count") == .integer(5))
    try bench.retry(0, refused)
    #expect(bench.shown(0, "count") == .integer(7))
    try bench.sync()
    #expect(bench.held("count") == .integer(7))
    #expect(bench.held("title") == .text("b"))
  }

  @Test mutating func `a count that is there was settled`() throws {
    let (sent, thin) = try countElsewhere()
    _ = bench.settle(0, [thin], user: "ada")
    var other = sent
    other.id = OperationID(high: 5, low: 5)
    _ = bench.settle(0, [other], user: "ada")
    bench.phones[0].clock.replica = ReplicaID(rawValue: 7)
    let verdict = bench.settle(0, [sent], user: "ada")[0]
    #expect(verdict.kind.code == .mismatch)
    #expect(bench.take(0, verdict).rejections.isEmpty)
    #expect(bench.shown(0, "count") == .integer(2))
  }

  @Test mutating func `nothing is left to count in a record that is deleted`() throws {
    let (sent, thin) = try countElsewhere()
    _ = bench.settle(0, [thin], user: "ada")
    bench.pull(1)
    try bench.delete(1)
    try bench.push(1)
    bench.phones[0].clock.replica = ReplicaID(rawValue: 7)
    let outcome = bench.take(0, bench.settle(0, [sent], user: "ada")[0])
    #expect(outcome.rejections.isEmpty)
  }

  @Test mutating func `a seed is no count of the file`() throws {
    try bench.seed(0, ["count": .integer(3), "title": .text("t")])
    try bench.edit(0, ["count": .add(2)])
    let sent = try bench.sent(0)
    var thin = sent
    thin.fields["count"] = nil
    _ = bench.settle(0, [try Operation(decoding: thin.encoded())], user: "ada")
    bench.phones[0].clock.replica = ReplicaID(rawValue: 7)
    let outcome = bench.take(0, bench.settle(0, [sent], user: "ada")[0])
    try bench.retry(0, outcome.rejections.map(\.row.operation))
    try bench.seed(1, ["count": .integer(3)])
    try bench.sync()
    #expect(bench.held("count") == .integer(5))
  }
}

import CommuteCore
import Testing

/// What the server makes of changes of fields with rules that it decides.
@Suite struct RuleSettlingTests {
  var bench = RuleBench()

  /// Both phones hold a record in which a field has a value, and each writes another, unseen.
  private mutating func diverge(_ field: Key, _ first: String, _ second: String) throws {
    try bench.create(0, [field: .text("start")])
    try bench.sync()
    try bench.set(0, [field: .text(first)])
    try bench.set(1, [field: .text(second)])
  }

  private func isServers(_ stamp: Stamp?) -> Bool { stamp?.replica == ReplicaID(rawValue: 99) }

  // MARK: - serverWins

  @Test mutating func `under serverWins an unseen value stands against a later one`() throws {
    try diverge("server", "first", "second")
    try bench.push(0)
    let verdict = try bench.push(1, user: "ben")
    #expect(verdict?.kind == .applied)
    #expect(verdict?.record?.state.fields["server"]?.value == .text("first"))
    #expect(bench.held("server") == .text("first"))
    #expect(isServers(bench.stored?.fields["server"]?.stamp))
    #expect(bench.shown(1, "server") == .text("first"))
    #expect(bench.conflicts.map { $0.lost } == [.text("second")])
    #expect(bench.conflicts.first?.kept == .text("first"))
    #expect(bench.conflicts.first?.lostBy == "ben")
    #expect(bench.conflicts.first?.replicas == [ReplicaID(rawValue: 2)])
  }

  @Test mutating func `under serverWins a seen value is replaced, whatever the clocks say`() throws
  {
    try bench.create(0, ["server": .text("start")])
    try bench.sync()
    bench.time -= 900_000
    try bench.set(1, ["server": .text("seen")])
    try bench.sync()
    try bench.set(0, ["server": .text("last")])
    try bench.sync()
    #expect(bench.held("server") == .text("last"))
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `under serverWins what is behind a row that wins wins, too`() throws {
    try bench.create(0, ["server": .text("start")])
    try bench.sync()
    try bench.set(0, ["server": .text("one")])
    let first = try bench.sent(0)
    try bench.set(0, ["server": .text("two")])
    let verdict = bench.settle(0, [first], user: "ada")[0]
    bench.take(0, verdict)
    try bench.sync()
    #expect(bench.held("server") == .text("two"))
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `under serverWins what is behind a row that loses loses, too`() throws {
    try diverge("server", "theirs", "one")
    let first = try bench.sent(1)
    try bench.set(1, ["server": .text("two")])
    try bench.push(0)
    let verdict = bench.settle(1, [first], user: "ben")[0]
    bench.take(1, verdict)
    #expect(bench.shown(1, "server") == .text("two"))
    try bench.sync()
    #expect(bench.held("server") == .text("theirs"))
    #expect(Set(bench.conflicts.map { $0.lost }) == [.text("one"), .text("two")])
  }

  // MARK: - clientWins

  @Test mutating func `under clientWins whoever comes last wins against the unseen`() throws {
    try diverge("client", "late", "early")
    // The second write has the later stamp; what counts is who comes last.
    try bench.push(1)
    try bench.push(0, user: "ada")
    #expect(bench.held("client") == .text("late"))
    #expect(bench.conflicts.map { $0.lost } == [.text("early")])
    #expect(bench.conflicts.first?.keptBy == "ada")
    #expect(isServers(bench.stored?.fields["client"]?.stamp))
  }

  @Test mutating func `under clientWins a value out of another history does not win`() throws {
    try diverge("client", "first", "old")
    bench.phones[1].epoch = Epoch(rawValue: 6)
    try bench.push(0)
    try bench.push(1)
    #expect(bench.held("client") == .text("first"))
    #expect(bench.conflicts.map { $0.lost } == [.text("old")])
  }

  @Test(arguments: ["client", "both", "note"])
  mutating func `a claim that was settled before does nothing again`(name: String) throws {
    let field = Key(name)
    try diverge(field, "one", "two")
    var again = try bench.sent(0)
    try bench.push(0)
    bench.pull(1)
    try bench.edit(1, [field: field == "both" ? .resolve(.text("last")) : .set(.text("last"))])
    try bench.push(1)
    let before = bench.stored?.fields[field]
    again.id = OperationID(high: 77, low: 1)
    let verdict = bench.settle(0, [again], user: "ada")[0]
    #expect(verdict.kind == .applied)
    #expect(bench.stored?.fields[field] == before)
  }

  // MARK: - keepBoth

  @Test mutating func `under keepBoth concurrent values stand side by side until resolved`() throws
  {
    try diverge("both", "a", "b")
    try bench.sync()
    let field = try #require(bench.stored?.fields["both"])
    #expect(field.siblings.map { $0.value } == [.text("a"), .text("b")])
    #expect(field.value == .text("b"))
    try bench.set(0, ["both": .text("c")])
    try bench.sync()
    #expect(bench.stored?.fields["both"]?.siblings.map { $0.value } == [.text("a"), .text("c")])
    try bench.edit(1, ["both": .resolve(.text("d"))])
    try bench.sync()
    #expect(bench.stored?.fields["both"]?.siblings.map { $0.value } == [.text("d")])
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `resolving what one saw leaves what came meanwhile`() throws {
    bench = RuleBench(phones: 3)
    try diverge("both", "a", "b")
    try bench.sync()
    try bench.edit(0, ["both": .resolve(.text("c"))])
    try bench.set(2, ["both": .text("d")])
    try bench.push(2)
    try bench.push(0)
    // The third phone saw "b" and took its place; "a" and "b" are what the first one saw.
    #expect(bench.stored?.fields["both"]?.siblings.map { $0.value } == [.text("c"), .text("d")])
  }

  // MARK: - text

  @Test mutating func `texts are merged with what was written meanwhile`() throws {
    try bench.create(0, ["note": .text("milk and bread")])
    try bench.sync()
    try bench.set(0, ["note": .text("milk, eggs and bread")])
    try bench.set(1, ["note": .text("milk and rye bread")])
    try bench.sync()
    #expect(bench.held("note") == .text("milk, eggs and rye bread"))
    #expect(bench.shown(0, "note") == bench.held("note"))
    #expect(bench.conflicts.isEmpty)
  }

  @Test mutating func `a text behind another one merges what both changed`() throws {
    try bench.create(0, ["note": .text("a b c")])
    try bench.sync()
    try bench.set(0, ["note": .text("A b c")])
    let first = try bench.sent(0)
    try bench.set(0, ["note": .text("A b c d")])
    try bench.set(1, ["note": .text("a B c")])
    try bench.push(1)
    let verdict = bench.settle(0, [first], user: "ada")[0]
    bench.take(0, verdict)
    #expect(bench.shown(0, "note") == .text("A b c d"))
    try bench.sync()
    #expect(bench.held("note") == .text("A B c d"))
  }

  @Test mutating func `one place changed by both is kept twice, with a conflict`() throws {
    try diverge("note", "one", "two")
    try bench.push(1)
    try bench.push(0)
    guard case .text(let text)? = bench.held("note") else { return }
    #expect(Set(text.split(separator: " ")) == ["one", "two"])
    #expect(bench.conflicts.count == 1)
    #expect(bench.conflicts.first?.rule == "text")
    #expect(bench.conflicts.first?.kept == .text(text))
  }

  // MARK: - Rules decided anywhere

  @Test mutating func `increments of all devices count once`() throws {
    try bench.create(0, ["count": .integer(10)])
    try bench.sync()
    try bench.edit(0, ["count": .add(5)])
    try bench.edit(1, ["count": .add(-3)])
    var again = try bench.sent(0)
    try bench.sync()
    again.id = OperationID(high: 77, low: 1)
    _ = bench.settle(0, [again], user: "ada")
    #expect(bench.held("count") == .integer(12))
    #expect(bench.shown(1, "count") == .integer(12))
    #expect(bench.stored?.fields["count"]?.counter.entries.count == 2)
  }

  @Test mutating func `a total of another device is refused`() throws {
    try bench.create(0, ["count": .integer(1)])
    var operation = try bench.sent(0)
    let stranger = CounterShare(
      replica: ReplicaID(rawValue: 5), before: CounterTotal(), after: CounterTotal(up: 9))
    operation.fields["count"]?.detail = .total([stranger])
    let verdict = bench.settle(0, [operation], user: "ada")[0]
    #expect(verdict.kind.code == .forbidden)
    #expect(bench.stored == nil)
  }

  @Test mutating func `what a device can tell by itself is left out of the verdict`() throws {
    try bench.create(0, ["best": .integer(1), "count": .integer(1), "labels": .list(["a"])])
    let verdict = try bench.push(0)
    #expect(verdict?.record == nil)
    var told = try #require(bench.phones[0].record.base)
    told.author = bench.stored?.author ?? ""
    #expect(told == bench.stored)
  }

  @Test
  mutating func
    `of extremes the one that is not chosen lost, unless its writer was refused by a seen one`()
    throws
  {
    try bench.create(0, ["best": .integer(1)])
    try bench.sync()
    try bench.set(0, ["best": .integer(5)])
    try bench.set(1, ["best": .integer(4)])
    try bench.sync()
    #expect(bench.held("best") == .integer(5))
    #expect(bench.conflicts.map { $0.lost } == [.integer(4)])
    try bench.set(1, ["best": .integer(6)])
    try bench.sync()
    #expect(bench.conflicts.count == 1)
  }

  @Test mutating func `stamps of sums from the future are settled anew`() throws {
    try bench.create(0, ["count": .integer(1), "labels": .list(["a"]), "best": .integer(1)])
    try bench.sync()
    bench.time += 1_000_000
    try bench.edit(
      0, ["count": .add(1), "labels": .insert("b"), "best": .set(.integer(2))])
    bench.time -= 1_000_000
    try bench.push(0)
    for field: Key in ["count", "labels", "best"] {
      #expect(isServers(bench.stored?.fields[field]?.stamp))
    }
    #expect(bench.phones[0].record.base?.fields == bench.stored?.fields)
    #expect(bench.held("labels") == .list(["a", "b"]))
  }

  // MARK: - Rules that differ

  @Test mutating func `a rule that the ends know differently is refused with both names`() throws {
    bench.settlement.tables["item"] = TableSchema(
      "item", fields: [FieldSchema("note", .text), FieldSchema("title", .text, rule: .serverWins)])
    for (field, mine, theirs) in [
      ("note", "text", "latest"), ("title", "latest", "serverWins"), ("count", "counter", "latest"),
    ] {
      let value: FieldValue = field == "count" ? .integer(1) : .text("a")
      bench.phones[0].record.rows = []
      try bench.create(0, [Key(field): value])
      let operation = try bench.sent(0)
      let verdict = bench.settle(0, [operation], user: "ada")[0]
      guard case .rejected(.rule, let message) = verdict.kind else {
        Issue.record("\(field) was taken")
        continue
      }
      for word in ["item.\(field)", mine, theirs] { #expect(message.contains(word)) }
    }
  }

  @Test mutating func `a member of another rule is refused by its name`() throws {
    try bench.create(0, ["title": .text("a")])
    for detail in [RuleDetail.total([]), .tags(TagChange()), .replaces([])] {
      var operation = try bench.sent(0)
      operation.fields["title"]?.detail = detail
      let verdict = bench.settle(0, [operation], user: "ada")[0]
      #expect(verdict.kind.code == .rule)
    }
  }
}

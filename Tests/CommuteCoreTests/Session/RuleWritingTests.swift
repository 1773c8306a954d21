import CommuteCore
import Testing

/// What local edits of fields with rules make, and what screens show meanwhile.
@Suite struct RuleWritingTests {
  var bench = RuleBench()

  private func change(_ field: Key, row: Int = 0, phone: Int = 0) -> OperationField? {
    bench.phones[phone].record.rows[row].operation.fields[field]
  }

  private func shares(_ field: Key, row: Int = 0) -> [CounterShare] {
    guard case .total(let shares)? = change(field, row: row)?.detail else { return [] }
    return shares
  }

  private func tags(_ field: Key, row: Int = 0) -> TagChange? {
    guard case .tags(let change)? = change(field, row: row)?.detail else { return nil }
    return change
  }

  private mutating func start() throws {
    try bench.create(0, ["title": .text("t"), "count": .integer(0), "labels": .list([])])
    try bench.sync()
  }

  // MARK: - Counters

  @Test mutating func `an amount becomes totals that are fixed`() throws {
    try start()
    try bench.edit(0, ["count": .add(3)])
    try bench.edit(0, ["count": .add(-1)])
    let me = ReplicaID(rawValue: 1)
    #expect(
      shares("count") == [
        CounterShare(
          replica: me, before: CounterTotal(), after: CounterTotal(up: 3, down: 1))
      ])
    #expect(bench.shown(0, "count") == .integer(2))
    #expect(change("count")?.value == .null)
  }

  @Test mutating func `a value set on a counter is the difference to what shows`() throws {
    try bench.create(0, ["count": .integer(5)])
    try bench.sync()
    try bench.edit(1, ["count": .add(2)])
    try bench.set(0, ["count": .integer(4)])
    #expect(bench.shown(0, "count") == .integer(4))
    try bench.sync()
    #expect(bench.held("count") == .integer(6))
  }

  @Test mutating func `a new total starts from what is in flight`() throws {
    try start()
    try bench.edit(0, ["count": .add(2)])
    let operation = try bench.sent(0)
    try bench.edit(0, ["count": .add(5)])
    #expect(shares("count", row: 1).first?.before == CounterTotal(up: 2))
    #expect(bench.shown(0, "count") == .integer(7))
    let verdict = bench.settle(0, [operation], user: "ada")[0]
    bench.take(0, verdict)
    try bench.sync()
    #expect(bench.held("count") == .integer(7))
  }

  @Test mutating func `a refused share is taken out of what is behind it`() throws {
    try start()
    try bench.edit(0, ["count": .add(2)])
    let operation = try bench.sent(0)
    try bench.edit(0, ["count": .add(5)])
    let outcome = bench.take(
      0, Verdict(id: operation.id, kind: .rejected(.invalid, message: "no")))
    #expect(outcome.rejections.count == 1)
    #expect(shares("count").first?.before == CounterTotal())
    #expect(shares("count").first?.after == CounterTotal(up: 5))
    #expect(bench.shown(0, "count") == .integer(5))
    try bench.sync()
    #expect(bench.held("count") == .integer(5))
    let again = outcome.rejections[0].row.operation.fields["count"]?.edit(over: nil)
    guard case .count(2, 0)? = again else {
      Issue.record("the share is not the one that was refused")
      return
    }
  }

  @Test mutating func `a total that only rises refuses to fall`() throws {
    try bench.create(0, ["rises": .integer(3)])
    let before = bench.phones[0].record
    #expect(throws: WriteRefusal.cannotFall(RuleTable.key, field: "rises")) {
      try bench.edit(0, ["rises": .add(-1)])
    }
    #expect(throws: WriteRefusal.cannotFall(RuleTable.key, field: "rises")) {
      try bench.set(0, ["rises": .integer(2)])
    }
    #expect(bench.phones[0].record == before)
    try bench.edit(0, ["rises": .add(1)])
    #expect(bench.shown(0, "rises") == .integer(4))
  }

  @Test mutating func `adding nothing writes nothing`() throws {
    try start()
    #expect(try bench.edit(0, ["count": .add(0)]).isEmpty)
    #expect(try bench.set(0, ["count": .integer(0)]).isEmpty)
    #expect(bench.phones[0].record.rows.isEmpty)
  }

  // MARK: - Sets

  @Test mutating func `additions have tags, removals list those that show`() throws {
    try start()
    try bench.edit(0, ["labels": .insert("a", "b", "a")])
    #expect(tags("labels")?.added.map { $0.element }.sorted() == ["a", "b"])
    #expect(bench.shown(0, "labels") == .list(["a", "b"]))
    try bench.sync()
    try bench.edit(0, ["labels": .remove("a", "c")])
    #expect(tags("labels")?.added.isEmpty == true)
    #expect(tags("labels")?.removed.count == 1)
    #expect(bench.shown(0, "labels") == .list(["b"]))
  }

  @Test mutating func `what was added and removed without leaving is not added any more`() throws {
    try start()
    try bench.edit(0, ["labels": .insert("a")])
    let addition = try #require(tags("labels")?.added.first)
    #expect(try bench.edit(0, ["labels": .remove("a")]) == ["labels"])
    // The removal goes: a copy of the file may hold the addition and send it.
    #expect(tags("labels") == TagChange(removed: [addition.tag]))
    #expect(bench.shown(0, "labels") == .list([]))
  }

  @Test mutating func `what may have left is removed by its tag`() throws {
    try start()
    try bench.edit(0, ["labels": .insert("a")])
    _ = try bench.sent(0)
    try bench.edit(0, ["labels": .remove("a")])
    #expect(tags("labels", row: 1)?.removed == tags("labels")?.added.map { $0.tag })
    #expect(bench.shown(0, "labels") == .list([]))
  }

  @Test mutating func `a list set on a set adds what is new and removes what is missing`() throws {
    try start()
    try bench.set(0, ["labels": .list(["a", "b"])])
    try bench.sync()
    try bench.set(0, ["labels": .list(["b", "c"])])
    #expect(tags("labels")?.added.map { $0.element } == ["c"])
    #expect(tags("labels")?.removed.count == 1)
    #expect(try bench.set(0, ["labels": .list(["c", "b"])]).isEmpty)
  }

  @Test mutating func `what a device adds again while another removes it stays`() throws {
    try start()
    try bench.edit(0, ["labels": .insert("a")])
    try bench.sync()
    try bench.edit(1, ["labels": .remove("a")])
    try bench.edit(0, ["labels": .remove("a")])
    try bench.edit(0, ["labels": .insert("a")])
    try bench.sync()
    #expect(bench.held("labels") == .list(["a"]))
  }

  // MARK: - Other rules

  @Test mutating func `a value that would not be chosen is not written`() throws {
    try bench.create(0, ["best": .integer(5), "least": .integer(5)])
    #expect(try bench.set(0, ["best": .integer(4), "least": .integer(6)]).isEmpty)
    #expect(try bench.set(0, ["best": .null, "least": .null]).isEmpty)
    #expect(try bench.set(0, ["best": .integer(6), "least": .integer(4)]) == ["best", "least"])
    #expect(change("best")?.rule == .maximum)
  }

  @Test mutating func `the base of a text is what showed before the row's first change`() throws {
    try bench.create(0, ["note": .text("a"), "title": .text("t")])
    try bench.sync()
    try bench.set(0, ["note": .text("a b"), "title": .text("u")])
    try bench.set(0, ["note": .text("a b c")])
    let operation = try bench.sent(0)
    #expect(operation.fields["note"]?.base == .text("a"))
    #expect(operation.fields["title"]?.base == nil)
    try bench.set(0, ["note": .text("x")])
    #expect(change("note", row: 1)?.base == .text("a b c"))
  }

  @Test mutating func `a value under keepBoth takes the place of the one that shows`() throws {
    try bench.create(0, ["both": .text("first")])
    try bench.sync()
    let first = try #require(bench.stored?.fields["both"]?.origin)
    try bench.set(0, ["both": .text("second")])
    #expect(change("both")?.detail == .replaces([first]))
    try bench.set(0, ["both": .text("third")])
    #expect(change("both")?.detail == .replaces([first]))
    let sent = try bench.sent(0)
    try bench.set(0, ["both": .text("fourth")])
    let third = try #require(sent.fields["both"]?.stamp)
    #expect(change("both", row: 1)?.detail == .replaces([third]))
    #expect(bench.shown(0, "both") == .text("fourth"))
  }

  @Test mutating func `an own value shows until the server has decided`() throws {
    try bench.create(0, ["server": .text("a"), "client": .text("a"), "note": .text("a")])
    try bench.sync()
    try bench.set(0, ["server": .text("mine"), "client": .text("mine"), "note": .text("mine")])
    bench.time += 1_000
    try bench.set(1, ["server": .text("theirs"), "client": .text("theirs"), "note": .text("x")])
    try bench.push(1)
    bench.pull(0)
    for field: Key in ["server", "client", "note"] {
      #expect(bench.shown(0, field) == .text("mine"))
    }
  }

  @Test mutating func `an edit that the rule does not take is refused and changes nothing`() throws
  {
    try start()
    let before = bench.phones[0].record
    let wrong: [(Key, FieldEdit, MergeRule)] = [
      ("title", .add(1), .latest), ("count", .set(.text("3")), .counter),
      ("count", .insert("a"), .counter), ("labels", .set(.text("a")), .set),
      ("labels", .add(1), .set), ("title", .resolve(.text("a")), .latest),
      ("best", .add(1), .maximum), ("count", .set(.null), .counter),
    ]
    for (field, edit, rule) in wrong {
      let refusal = WriteRefusal.editDoesNotFit(RuleTable.key, field: field, rule: rule)
      #expect(throws: refusal) { try bench.edit(0, [field: edit]) }
      #expect(refusal.message.contains(rule.name.text))
    }
    #expect(bench.phones[0].record == before)
  }

  @Test mutating func `a field whose rule this build does not know shows and is not edited`() throws
  {
    try start()
    var told = try #require(bench.stored)
    told.fields["title"]?.merge = Array("{\"median\":[1]}".utf8)
    bench.phones[0].absorb(told)
    #expect(bench.shown(0, "title") == .text("t"))
    let refusal = WriteRefusal.ruleUnknown(RuleTable.key, field: "title")
    #expect(throws: refusal) { try bench.set(0, ["title": .text("u")]) }
    #expect(refusal.message.contains("item.title"))
    try bench.edit(0, ["count": .add(1)])
  }

  @Test mutating func `members of rules survive the outbox's form`() throws {
    try start()
    try bench.edit(
      0,
      [
        "count": .add(1), "labels": .insert("a"), "both": .set(.text("x")),
        "best": .set(.integer(1)),
      ])
    for entry in bench.phones[0].record.rows[0].operation.fields.entries {
      var back = entry.value
      back.rule = .latest
      back.detail = .none
      try back.setRuleMembers(entry.value.ruleMembers)
      #expect(back == entry.value)
    }
    var field = OperationField(value: .null, stamp: .floor)
    #expect(throws: WireError.self) { try field.setRuleMembers(["total": Array("5".utf8)]) }
    try field.setRuleMembers(["rule": Array("\"median\"".utf8)])
    #expect(field.others["rule"] == Array("\"median\"".utf8))
  }

  // MARK: - Seeds

  @Test mutating func `seeds of every rule are there once and give way to edits`() throws {
    let seeds: FieldMap<FieldValue> = [
      "best": .integer(9), "both": .text("s"), "client": .text("s"), "count": .integer(4),
      "labels": .list(["s"]), "least": .integer(-9), "note": .text("s"), "rises": .integer(2),
      "server": .text("s"), "title": .text("s"),
    ]
    try bench.seed(0, seeds)
    try bench.seed(1, seeds)
    try bench.sync()
    for entry in seeds.entries { #expect(bench.held(entry.name) == entry.value) }
    #expect(try bench.seed(1, seeds).isEmpty)
    try bench.edit(
      1,
      [
        "best": .set(.integer(1)), "both": .set(.text("e")), "client": .set(.text("e")),
        "count": .add(1), "labels": .insert("e"), "least": .set(.integer(1)),
        "note": .set(.text("e")), "rises": .add(1), "server": .set(.text("e")),
        "title": .set(.text("e")),
      ])
    try bench.sync()
    #expect(bench.held("best") == .integer(1))
    #expect(bench.held("least") == .integer(1))
    #expect(bench.held("count") == .integer(5))
    #expect(bench.held("rises") == .integer(3))
    #expect(bench.held("labels") == .list(["e", "s"]))
    for field: Key in ["both", "client", "note", "server", "title"] {
      #expect(bench.held(field) == .text("e"))
    }
    #expect(bench.conflicts.isEmpty)
    #expect(try bench.seed(0, seeds).isEmpty)
  }

  @Test mutating func `a seeded element that was removed stays removed`() throws {
    try bench.seed(0, ["labels": .list(["s", "t"])])
    try bench.edit(0, ["labels": .remove("s")])
    try bench.sync()
    bench.phones.append(RuleBench(phones: 3).phones[2])
    try bench.seed(2, ["labels": .list(["s", "t"])])
    try bench.sync()
    #expect(bench.held("labels") == .list(["t"]))
    #expect(bench.shown(2, "labels") == .list(["t"]))
  }
}

import CommuteCore
import Testing

/// What becomes of a record when a person decides about operations that were refused.
@Suite struct DeviceRecordInboxTests {
  var bench = DeviceBench()

  /// A record that the server knows, and the refusal of a change of it.
  private mutating func refusedChange() throws -> Operation {
    bench.absorb(DeviceBench.state(["title": ("Momo", DeviceBench.stamp(50, by: 9))]))
    try bench.change(["title": .text("Mumu")])
    return try refuse()
  }

  /// Refuses what is sent next.
  private mutating func refuse() throws -> Operation {
    bench.send()
    let outcome = bench.settle(.rejected(.invalid, message: "no"))
    return try #require(outcome.rejections.first).row.operation
  }

  private mutating func retry(_ refused: [Operation]) throws -> Bool {
    let ids = [bench.newOperation(), bench.newOperation(), bench.newOperation()]
    var drawn = ids[...]
    var context = WriteContext(clock: bench.clock, wall: bench.wall, schema: 1)
    defer { bench.clock = context.clock }
    return try bench.record.retry(
      refused, newOperation: { drawn.popFirst() ?? ids[0] }, context: &context)
  }

  private mutating func replace(
    _ refused: Operation, with values: FieldMap<FieldValue>
  ) throws -> Bool {
    let id = bench.newOperation()
    var context = WriteContext(clock: bench.clock, wall: bench.wall, schema: 1)
    defer { bench.clock = context.clock }
    return try bench.record.replace(
      refused, with: values, newOperation: { id }, context: &context)
  }

  @Test mutating func `a refused change is no longer seen, and is once more when it is retried`()
    throws
  {
    let refused = try refusedChange()
    #expect(bench.view == ["title": "Momo"])
    let isQueued = try retry([refused])
    let retried = try #require(bench.record.rows.first).operation
    #expect(isQueued)
    #expect(bench.view == ["title": "Mumu"])
    #expect(retried.id != refused.id)
    #expect(!retried.creates)
    let before = try #require(refused.fields["title"])
    let after = try #require(retried.fields["title"])
    #expect(before.stamp < after.stamp)
    #expect(after.base == .text("Momo"))
  }

  @Test mutating func `it is written over what the server tells meanwhile`() throws {
    let refused = try refusedChange()
    let told = DeviceBench.stamp(9_000, by: 9)
    bench.absorb(DeviceBench.state(["title": ("Krabat", told)], revision: 5))
    _ = try retry([refused])
    let field = try #require(bench.record.rows.first?.operation.fields["title"])
    #expect(bench.view == ["title": "Mumu"])
    #expect(told < field.stamp)
    #expect(field.over == Over(stamp: told, origin: told))
  }

  @Test mutating func `it stands last, apart from what waits`() throws {
    let refused = try refusedChange()
    try bench.change(["author": .text("Ende")])
    let waiting = bench.record.rows
    _ = try retry([refused])
    #expect(bench.record.rows.count == 2)
    #expect(bench.record.rows.first == waiting.first)
    #expect(bench.record.rows.last?.operation.fields.names == ["title"])
    #expect(bench.record.rows.last?.isInFlight == false)
    #expect(bench.view == ["title": "Mumu", "author": "Ende"])
  }

  @Test mutating func `what was decided to be as it was seeded comes back as a decision`() throws {
    try bench.seed(["title": .text("Momo"), "author": .text("Ende")])
    bench.send()
    try bench.change(["title": .text("Mumu")])
    try bench.change(["title": .text("Momo")])
    let refused = bench.settle(.rejected(.invalid, message: "no")).rejections
      .map(\.row.operation)
    #expect(refused.count == 2)
    let isQueued = try retry(refused)
    let retried = try #require(bench.record.rows.last).operation
    #expect(isQueued)
    #expect(retried.creates)
    #expect(retried.fields["title"]?.stamp.isFloor == false)
    #expect(retried.fields["author"]?.stamp.isFloor == true)
    #expect(bench.view == ["title": "Momo", "author": "Ende"])
  }

  @Test mutating func `what is in flight stays as it was sent`() throws {
    let refused = try refusedChange()
    try bench.change(["author": .text("Ende")])
    bench.send()
    let sent = bench.record.rows
    _ = try retry([refused])
    #expect(bench.record.rows.count == 2)
    #expect(bench.record.rows.first == sent.first)
    #expect(bench.record.rows.first?.isInFlight == true)
  }

  @Test mutating func `a creation comes back with what stood behind it`() throws {
    try bench.create(["title": .text("Momo")])
    bench.send()
    try bench.change(["title": .text("Mumu"), "author": .text("Ende")])
    let outcome = bench.settle(.rejected(.invalid, message: "no"))
    let refused = outcome.rejections.map(\.row.operation)
    #expect(refused.count == 2)
    #expect(bench.record.view == nil)
    let lacks = refused.map { bench.record.lacksRecord(for: $0) }
    #expect(lacks == [false, true])
    let isQueued = try retry(refused)
    #expect(isQueued)
    #expect(bench.view == ["title": "Mumu", "author": "Ende"])
    #expect(bench.record.rows.map(\.operation.creates) == [true])
    #expect(bench.record.rows.map(\.operation.id) != refused.map(\.id))
    let stamps = try #require(bench.record.rows.first).operation.fields.entries.map(\.value.stamp)
    #expect(stamps.count == 2 && !stamps.contains(where: \.isFloor))
  }

  @Test mutating func `a creation is a change where the record is there by now`() throws {
    try bench.create(["title": .text("Momo")])
    let refused = try refuse()
    bench.absorb(DeviceBench.state(["title": ("Krabat", DeviceBench.stamp(50, by: 9))]))
    _ = try retry([refused])
    #expect(bench.view == ["title": "Momo"])
    #expect(bench.record.rows.map(\.operation.creates) == [false])
  }

  @Test mutating func `a seed comes back as a seed`() throws {
    try bench.seed(["title": .text("Momo")])
    let refused = try refuse()
    _ = try retry([refused])
    #expect(bench.record.rows.first?.operation.fields["title"]?.stamp == .floor)
    #expect(bench.view == ["title": "Momo"])
  }

  @Test mutating func `a person's change of a seed comes back as one, the rest as a seed`() throws {
    try bench.seed(["title": .text("Momo"), "author": .text("Ende")])
    try bench.change(["title": .text("Mumu")])
    let refused = try refuse()
    _ = try retry([refused])
    let fields = try #require(bench.record.rows.first).operation.fields
    #expect(bench.record.rows.map(\.operation.creates) == [true])
    #expect(fields["author"]?.stamp == .floor)
    #expect(fields["title"]?.stamp.isFloor == false)
    #expect(bench.view == ["title": "Mumu", "author": "Ende"])
  }

  @Test mutating func `a seed that is retried overwrites nothing that others wrote meanwhile`()
    throws
  {
    try bench.seed(["title": .text("Momo"), "author": .text("Ende")])
    let refused = try refuse()
    bench.absorb(DeviceBench.state(["title": ("Krabat", DeviceBench.stamp(50, by: 9))]))
    _ = try retry([refused])
    #expect(bench.view == ["title": "Krabat", "author": "Ende"])
    #expect(bench.record.rows.map(\.operation.fields.names) == [["author"]])
  }

  @Test mutating func `a creation without any field comes back`() throws {
    try bench.create([:])
    let refused = try refuse()
    let isQueued = try retry([refused])
    #expect(isQueued)
    #expect(bench.record.rows.map(\.operation.creates) == [true])
  }

  @Test mutating func `a deletion comes back as one`() throws {
    bench.absorb(DeviceBench.state(["title": ("Momo", DeviceBench.stamp(50, by: 9))]))
    try bench.change(["title": .text("Mumu")])
    try bench.delete()
    let refused = try refuse()
    #expect(bench.record.view?.deleted == nil)
    _ = try retry([refused])
    #expect(bench.record.view?.deleted != nil)
    #expect(bench.record.rows.count == 1)
    #expect(bench.record.rows.first?.operation.fields.names == ["title"])
  }

  @Test mutating func `what the record shows already is not written again`() throws {
    let refused = try refusedChange()
    bench.absorb(DeviceBench.state(["title": ("Mumu", DeviceBench.stamp(60, by: 9))]))
    let clock = bench.clock
    let isQueued = try retry([refused])
    #expect(!isQueued)
    #expect(bench.record.rows.isEmpty)
    #expect(bench.clock == clock)
  }

  @Test mutating func `a record that is gone by now refuses, and nothing has changed`() throws {
    let refused = try refusedChange()
    bench.absorb(
      DeviceBench.state(
        ["title": ("Momo", DeviceBench.stamp(50, by: 9))], revision: 6,
        deleted: DeviceBench.stamp(70, by: 9)))
    let before = (bench.record, bench.clock)
    #expect(throws: WriteRefusal.deleted(DeviceBench.key)) { try retry([refused]) }
    #expect(throws: WriteRefusal.deleted(DeviceBench.key)) {
      try replace(refused, with: ["title": .text("Other")])
    }
    #expect(bench.record == before.0)
    #expect(bench.clock == before.1)
  }

  @Test mutating func `nothing of several is written where one cannot be`() throws {
    let refused = try refusedChange()
    var deletion = refused
    deletion.fields = [:]
    deletion.deleted = DeviceBench.stamp(80)
    let before = (bench.record, bench.clock)
    #expect(throws: WriteRefusal.self) { try retry([deletion, refused]) }
    #expect(bench.record == before.0)
    #expect(bench.clock == before.1)
  }

  @Test mutating func `another change takes the place of a refused one`() throws {
    let refused = try refusedChange()
    let isQueued = try replace(refused, with: ["title": .text("Momo!"), "author": .text("Ende")])
    #expect(isQueued)
    #expect(bench.view == ["title": "Momo!", "author": "Ende"])
    #expect(bench.record.rows.map(\.operation.fields.count) == [2])
  }

  @Test mutating func `a change back to what shows needs no operation`() throws {
    let refused = try refusedChange()
    let isQueued = try replace(refused, with: ["title": .text("Momo")])
    let isNothingQueued = try replace(refused, with: [:])
    #expect(!isQueued)
    #expect(!isNothingQueued)
    #expect(bench.record.rows.isEmpty)
  }

  @Test mutating func `another record takes the place of one whose creation was refused`() throws {
    try bench.create(["title": .text("")])
    let refused = try refuse()
    _ = try replace(refused, with: ["title": .text("Momo")])
    #expect(bench.view == ["title": "Momo"])
    #expect(bench.record.rows.map(\.operation.creates) == [true])
  }
}

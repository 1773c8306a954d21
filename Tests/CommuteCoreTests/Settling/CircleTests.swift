import CommuteCore
import Testing

/// Operations that need what others of the same request make.
@Suite struct CircleTests {
  var bench = ServerBench()

  static func key(_ number: UInt64) -> RecordKey {
    RecordKey(table: "book", id: RecordID(high: 0, low: number))
  }

  mutating func creation(_ number: UInt64, needs: UInt64...) -> Operation {
    var operation = bench.operation(
      ["title": "\(number)"], creates: true, key: Self.key(number))
    operation.needs = needs.map { Self.key($0) }
    return operation
  }

  mutating func settle(_ operations: [Operation]) -> [String] {
    let request = bench.request(operations)
    return bench.settle(request).map { verdict in
      switch verdict.kind {
      case .applied: "applied"
      case .duplicate: "duplicate"
      case .rejected(let code, _): code.name.text
      case .later(let reason, _): reason.name.text
      }
    }
  }

  @Test mutating func `what is made later in the request counts, in whatever order`() {
    let verdicts = settle([
      creation(1, needs: 2), creation(2, needs: 3), creation(3),
    ])
    #expect(verdicts == ["applied", "applied", "applied"])
    let outcome = bench.outcome
    #expect(outcome.verdicts.map { $0.revision?.number } == [3, 2, 1])
    #expect(outcome.appliedOperations.count == 3)
  }

  @Test mutating func `in a long chain each is settled after what it needs`() {
    let verdicts = settle([
      creation(1, needs: 2), creation(2, needs: 3), creation(3, needs: 4), creation(4),
    ])
    #expect(verdicts == ["applied", "applied", "applied", "applied"])
    #expect(bench.outcome.verdicts.map { $0.revision?.number } == [4, 3, 2, 1])
  }

  @Test mutating func `a circle is settled as a whole`() {
    let verdicts = settle([creation(1, needs: 2), creation(2, needs: 3), creation(3, needs: 1)])
    #expect(verdicts == ["applied", "applied", "applied"])
    #expect(bench.state.records.count == 3)
  }

  @Test mutating func `an operation that needs itself is there`() {
    let verdicts = settle([creation(1, needs: 1)])
    #expect(verdicts == ["applied"])
  }

  @Test mutating func `where one of a circle is refused, nothing of it is settled`() {
    bench.settlement.validate = { $0.key.id.low == 2 ? .invalid("no") : nil }
    let verdicts = settle([creation(1, needs: 2), creation(2, needs: 1), creation(4)])
    #expect(verdicts == ["needs", "invalid", "applied"])
    #expect(bench.state.records.keys.map { $0.id.low } == [4])
    #expect(bench.outcome.changedRecords == [Self.key(4)])
    #expect(bench.outcome.appliedOperations.count == 1)
    #expect(bench.state.heads["books"]?.head == 1)
  }

  @Test mutating func `another circle of the request goes all the same`() {
    bench.settlement.validate = { $0.key.id.low == 2 ? .invalid("no") : nil }
    let verdicts = settle([
      creation(1, needs: 2), creation(2, needs: 1), creation(5, needs: 6), creation(6, needs: 5),
    ])
    #expect(verdicts == ["needs", "invalid", "applied", "applied"])
  }

  @Test mutating func `half a circle waits, and what hangs on it, too`() {
    let verdicts = settle([creation(1, needs: 2), creation(3, needs: 1)])
    #expect(verdicts == ["needs", "needs"])
    #expect(bench.state.records.isEmpty)
  }

  @Test mutating func `what somebody else made, or a stub, closes it`() {
    bench.settle(bench.operation(["title": "a"], creates: true, key: Self.key(2)))
    bench.state.stubs.insert(Self.key(3))
    let verdicts = settle([creation(1, needs: 2, 3)])
    #expect(verdicts == ["applied"])
  }
}

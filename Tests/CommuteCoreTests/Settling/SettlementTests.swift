import CommuteCore
import Testing

/// What refuses an operation, what defers it, and what has effect once.
@Suite struct SettlementTests {
  var bench = ServerBench()

  // MARK: - Once

  @Test mutating func `an operation that comes again has no effect and tells the record`() {
    let operation = bench.operation(["title": "a"], creates: true)
    let first = bench.settle(operation)
    let head = bench.state.heads["books"]
    let second = bench.settle(operation)
    #expect(first.kind == .applied)
    #expect(second.kind == .duplicate)
    #expect(second.record?.state == bench.stored)
    #expect(second.revision == bench.stored?.revision)
    #expect(bench.state.heads["books"] == head)
    #expect(bench.outcome.changedRecords.isEmpty)
  }

  @Test mutating func `the same id with other bytes is refused, with the record`() {
    var operation = bench.operation(["title": "a"], creates: true)
    bench.settle(operation)
    operation.digest.second = 1
    let verdict = bench.settle(operation)
    #expect(verdict.kind.code == .mismatch)
    #expect(verdict.record?.state == bench.stored)
    #expect(bench.outcome.appliedOperations.isEmpty)
  }

  @Test mutating func `a refused operation is judged anew when it comes again`() {
    let operation = bench.operation(["title": "a"])
    let first = bench.settle(operation)
    bench.create()
    let second = bench.settle(operation)
    #expect(first.kind.code == .gone)
    #expect(second.kind == .applied)
  }

  @Test mutating func `what was applied is marked to be remembered`() {
    let operation = bench.operation(["title": "a"], creates: true)
    bench.settle(operation)
    #expect(bench.outcome.appliedOperations == [operation.id])
    let remembered = bench.state.operations[operation.id]
    #expect(remembered?.digest == operation.digest)
    #expect(remembered?.revision == bench.stored?.revision)
  }

  // MARK: - Refused

  @Test mutating func `a change of a record that is not there is gone`() {
    let verdict = bench.settle(bench.operation(["title": "a"]))
    #expect(verdict.kind.code == .gone)
    #expect(verdict.record == nil)
    #expect(bench.stored == nil)
  }

  @Test mutating func `a purged id stays gone, even for a creation`() {
    bench.state.stubs.insert(ServerBench.key)
    let verdict = bench.settle(bench.operation(["title": "a"], creates: true))
    #expect(verdict.kind.code == .gone)
    #expect(bench.stored == nil)
  }

  @Test mutating func `a record belongs to one feed for life`() {
    bench.create()
    var operation = bench.operation(["title": "b"])
    operation.feed = "desk"
    let request = bench.request(
      [operation], feeds: [SyncRequest.Feed(feed: "books"), SyncRequest.Feed(feed: "desk")])
    let verdict = bench.settle(request)[0]
    #expect(verdict.kind.code == .feed)
    // The user may have no right to the record's feed.
    #expect(verdict.record == nil)
    #expect(verdict.revision == nil)
  }

  @Test mutating func `an id that was used before opens no record of another feed`() {
    bench.create()
    var operation = bench.operation(["title": "a"], creates: true)
    operation.key.id = RecordID(high: 0, low: 2)
    operation.feed = "desk"
    let feeds = [SyncRequest.Feed(feed: "books"), SyncRequest.Feed(feed: "desk")]
    let first = bench.request([operation], feeds: feeds)
    #expect(bench.settle(first)[0].kind == .applied)
    operation.key = ServerBench.key
    operation.digest.second = 1
    let second = bench.request([operation], feeds: feeds)
    let verdict = bench.settle(second)[0]
    #expect(verdict.kind.code == .mismatch)
    #expect(verdict.record == nil)
  }

  @Test mutating func `a feed that may only be read, or was taken away, takes nothing`() {
    bench.create()
    let edit = bench.operation(["title": "b"])
    let request = bench.request([edit])
    bench.state.heads["books"]?.isReadOnly = true
    #expect(bench.settle(request)[0].kind.code == .forbidden)
    bench.state.heads["books"]?.isReadOnly = false
    bench.state.heads["books"]?.revoked = "you left"
    let later = bench.request([edit], feeds: [])
    let verdict = bench.settle(later)[0]
    #expect(verdict.kind == .rejected(.forbidden, message: "you left"))
    #expect(verdict.record == nil)
  }

  @Test mutating func `an operation of a feed that is not asked about is refused`() {
    let operation = bench.operation(["title": "a"], creates: true)
    let request = bench.request([operation], feeds: [SyncRequest.Feed(feed: "desk")])
    let verdict = bench.settle(request)[0]
    #expect(verdict.kind.code == .feed)
  }

  @Test mutating func `a rule that this server does not know is refused by name`() throws {
    bench.create()
    var operation = bench.operation(["title": "b"])
    operation.fields["title"]?.others["rule"] = Array("\"median\"".utf8)
    let verdict = bench.settle(operation)
    #expect(verdict.kind.code == .rule)
    guard case .rejected(_, let message) = verdict.kind else { return }
    #expect(message.contains("book.title"))
    #expect(message.contains("median"))
    #expect(message.contains("latest"))
  }

  @Test mutating func `a reviving edit is refused by the rule's name`() {
    bench.create()
    var operation = bench.operation(["title": "b"])
    operation.revives = ServerBench.stamp(3)
    let verdict = bench.settle(operation)
    #expect(verdict.kind.code == .rule)
  }

  @Test mutating func `a value of another kind is refused where the table is known`() {
    let table = TableSchema("book", fields: [FieldSchema("title", .text)])
    bench.settlement = Settlement(tables: ["book": table])
    bench.create()
    var operation = bench.operation(["title": "b"])
    operation.fields["title"]?.value = .integer(3)
    let wrong = bench.settle(operation)
    var null = bench.operation(["title": "b"])
    null.fields["title"]?.value = .null
    let empty = bench.settle(null)
    let unknown = bench.settle(bench.operation(["subtitle": "s"], at: ServerBench.stamp(600)))
    #expect(wrong.kind.code == .kind)
    #expect(empty.kind.code == .kind)
    #expect(unknown.kind == .applied)
    #expect(bench.stored?.fields["subtitle"]?.value == .text("s"))
  }

  @Test mutating func `a record that merging makes too large is refused`() {
    bench.create()
    var operation = bench.operation(["title": "b"], at: ServerBench.stamp(600))
    operation.fields["cover"] = OperationField(
      value: .bytes([UInt8](repeating: 0, count: 3_500_000)), stamp: ServerBench.stamp(600))
    let before = bench.stored
    let verdict = bench.settle(operation)
    #expect(verdict.kind.code == .tooLarge)
    #expect(bench.stored == before)
  }

  @Test mutating func `the server's own rule refuses one operation, not its neighbours`() {
    bench.settlement = Settlement { proposal in
      proposal.after.fields["title"]?.value == .text("") ? .invalid("a book needs a title") : nil
    }
    let other = RecordKey(table: "book", id: RecordID(high: 0, low: 2))
    let empty = bench.operation(["title": ""], creates: true)
    let good = bench.operation(["title": "a"], creates: true, key: other)
    let request = bench.request([empty, good])
    let verdicts = bench.settle(request)
    #expect(verdicts[0].kind == .rejected(.invalid, message: "a book needs a title"))
    #expect(verdicts[1].kind == .applied)
    #expect(bench.stored == nil)
    #expect(bench.outcome.changedRecords == [other])
  }

  @Test mutating func `a rule sees the record before and after, and who acts`() {
    bench.create("old", at: ServerBench.stamp(400), user: "ben")
    bench.settlement = Settlement { proposal in
      let before = proposal.before?.fields["title"]?.value
      let after = proposal.after.fields["title"]?.value
      return before == .text("old") && after == .text("new") && proposal.user == "ada"
        ? .invalid("seen") : nil
    }
    let verdict = bench.settle(bench.operation(["title": "new"]))
    #expect(verdict.kind == .rejected(.invalid, message: "seen"))
    #expect(verdict.record?.state == bench.stored)
  }

  // MARK: - Later

  @Test mutating func `what it needs must be there first`() {
    let parent = RecordKey(table: "shelf", id: RecordID(high: 0, low: 9))
    var child = bench.operation(["title": "a"], creates: true)
    child.needs = [parent]
    let early = bench.settle(child)
    bench.settle(bench.operation(["name": "s"], creates: true, key: parent))
    let late = bench.settle(child)
    #expect(early.kind == .later(.needs, afterMilliseconds: 5_000))
    #expect(late.kind == .applied)
  }

  @Test mutating func `what it needs may come earlier in the same request`() {
    let parent = RecordKey(table: "shelf", id: RecordID(high: 0, low: 9))
    let first = bench.operation(["name": "s"], creates: true, key: parent)
    var child = bench.operation(["title": "a"], creates: true)
    child.needs = [parent]
    let request = bench.request([first, child])
    let verdicts = bench.settle(request)
    #expect(verdicts.map { $0.kind } == [.applied, .applied])
  }

  @Test mutating func `what needs a refused creation waits, and so does what needs that`() {
    bench.settlement = Settlement { $0.key.table == "shelf" ? .forbidden("no shelves") : nil }
    let parent = RecordKey(table: "shelf", id: RecordID(high: 0, low: 9))
    let grandchild = RecordKey(table: "note", id: RecordID(high: 0, low: 8))
    let first = bench.operation(["name": "s"], creates: true, key: parent)
    var child = bench.operation(["title": "a"], creates: true)
    child.needs = [parent]
    var last = bench.operation(["text": "t"], creates: true, key: grandchild)
    last.needs = [ServerBench.key]
    let request = bench.request([first, child, last])
    let verdicts = bench.settle(request)
    #expect(verdicts[0].kind.code == .forbidden)
    #expect(verdicts[1].kind == .later(.needs, afterMilliseconds: 5_000))
    #expect(verdicts[2].kind == .later(.needs, afterMilliseconds: 5_000))
  }

  @Test mutating func `a refused creation of what somebody else made holds nothing up`() {
    bench.create()
    bench.settlement = Settlement { $0.key == ServerBench.key ? .invalid("no") : nil }
    let refused = bench.operation(["title": "b"], at: ServerBench.stamp(600), creates: true)
    let other = RecordKey(table: "note", id: RecordID(high: 0, low: 8))
    var child = bench.operation(["text": "t"], creates: true, key: other)
    child.needs = [ServerBench.key]
    let request = bench.request([refused, child])
    let verdicts = bench.settle(request)
    #expect(verdicts[0].kind.code == .invalid)
    #expect(verdicts[1].kind == .applied)
  }

  @Test mutating func `a stub is enough for what needs it`() {
    let parent = RecordKey(table: "shelf", id: RecordID(high: 0, low: 9))
    bench.state.stubs.insert(parent)
    var child = bench.operation(["title": "a"], creates: true)
    child.needs = [parent]
    let verdict = bench.settle(child)
    #expect(verdict.kind == .applied)
  }

  @Test mutating func `behind the fence everything waits for the reset, even a duplicate`() {
    let operation = bench.operation(["title": "a"], creates: true)
    bench.settle(operation)
    bench.state.heads["books"]?.fence = 1
    let behind = bench.request([operation], feeds: [SyncRequest.Feed(feed: "books", cursor: 0)])
    let inside = bench.request(
      [operation], feeds: [SyncRequest.Feed(feed: "books", cursor: 0, reset: 1)])
    let fresh = bench.request([operation], feeds: [SyncRequest.Feed(feed: "books")])
    let passed = bench.request([operation], feeds: [SyncRequest.Feed(feed: "books", cursor: 1)])
    let kinds = [behind, inside, fresh, passed].map { bench.settle($0)[0].kind }
    let later = Verdict.Kind.later(.reset, afterMilliseconds: 0)
    #expect(kinds == [later, later, later, .duplicate])
  }

  @Test mutating func `where they cannot be taken, offers are put off and lose nothing`() {
    var request = bench.request([])
    let state = RecordState(revision: Revision(epoch: ServerBench.epoch, number: 1))
    request.offers = [
      SyncRequest.Offer(
        id: OperationID(high: 5, low: 5), feed: "books",
        record: RecordMessage(key: ServerBench.key, state: state))
    ]
    let verdicts = bench.settle(request)
    #expect(verdicts.map { $0.kind } == [.later(.offers, afterMilliseconds: 3_600_000)])
    #expect(bench.stored == nil)
  }

  // MARK: - The second wall

  @Test mutating func `the same number under another nonce renews the replica, settling nothing`() {
    let first = bench.request([bench.operation(["title": "a"], creates: true)])
    bench.settle(first)
    var second = bench.request([bench.operation(["title": "b"])])
    second.number = first.number
    let verdicts = bench.settle(second)
    #expect(verdicts.isEmpty)
    #expect(bench.outcome.renews)
    #expect(!bench.outcome.isSettled)
    #expect(bench.title?.value == .text("a"))
  }

  @Test mutating func `the same number under the same nonce is the same request again`() {
    let request = bench.request([bench.operation(["title": "a"], creates: true)])
    bench.settle(request)
    let again = bench.settle(request)
    #expect(again.map { $0.kind } == [.duplicate])
    #expect(!bench.outcome.renews)
  }

  @Test mutating func `the same request again settles nothing that it had not settled`() {
    let needed = RecordKey(table: "shelf", id: RecordID(high: 0, low: 2))
    var waiting = bench.operation(["title": "a"], creates: true)
    waiting.needs = [needed]
    let request = bench.request([waiting])
    #expect(bench.settle(request).map { $0.kind } == [.later(.needs, afterMilliseconds: 5_000)])
    let other = bench.operation(["title": "b"], creates: true, key: needed)
    bench.settle(bench.request([other], replica: 2))
    // The device has heard that it has to wait, and takes it for unsent.
    #expect(
      bench.settle(request).map { $0.kind } == [.later(.unavailable, afterMilliseconds: 1_000)])
    #expect(bench.stored == nil)
    #expect(bench.settle(waiting).kind == .applied)
  }

  @Test(arguments: [false, true])
  mutating func `what was applied to a record that was purged since is gone`(inOtherBytes: Bool) {
    var operation = bench.operation(["title": "a"], creates: true)
    bench.settle(operation)
    bench.state.records[ServerBench.key] = nil
    bench.state.stubs.insert(ServerBench.key)
    if inOtherBytes {
      operation.digest = SHA256.Digest(first: 77, second: 0, third: 0, fourth: 0)
    }
    #expect(bench.settle(operation).kind.code == .gone)
  }

  @Test mutating func `a request that carries nothing may repeat a number`() {
    let first = bench.request([bench.operation(["title": "a"], creates: true)])
    bench.settle(first)
    var pull = bench.request([])
    pull.number = first.number
    bench.settle(pull)
    #expect(bench.outcome.isSettled)
    #expect(!bench.outcome.notesRequest)
  }

  @Test mutating func `another replica has numbers of its own`() {
    let first = bench.request([bench.operation(["title": "a"], creates: true)])
    bench.settle(first)
    var other = bench.request([bench.operation(["title": "b"], at: ServerBench.stamp(600))])
    other.replica = ReplicaID(rawValue: 2)
    other.number = 1
    bench.settle(other)
    #expect(!bench.outcome.renews)
    #expect(bench.title?.value == .text("b"))
  }

  @Test mutating func `a request of another history settles nothing`() {
    var request = bench.request([bench.operation(["title": "a"], creates: true)])
    request.epoch = Epoch(rawValue: 3)
    let verdicts = bench.settle(request)
    #expect(verdicts.isEmpty)
    #expect(!bench.outcome.isSettled)
    #expect(bench.state.requests.isEmpty)
  }

  @Test mutating func `a device that knows no history yet is taken as of this one`() {
    var request = bench.request([bench.operation(["title": "a"], creates: true)])
    request.epoch = nil
    let verdicts = bench.settle(request)
    #expect(verdicts.map { $0.kind } == [.applied])
  }

  // MARK: - What is loaded

  @Test mutating func `the rows that settling reads are named in the order of locks`() {
    let other = RecordKey(table: "album", id: RecordID(high: 0, low: 7))
    var operation = bench.operation(["title": "a", "notes": "n"], deleted: ServerBench.stamp(1))
    operation.needs = [other]
    let request = bench.request([operation])
    let needs = Settlement.needs(of: request)
    #expect(needs.records == [other, ServerBench.key])
    #expect(needs.operations == [operation.id])
    #expect(needs.feeds == ["books"])
    #expect(needs.fields.map { $0.field } == ["notes", "title", ""])
    #expect(needs.replica == ReplicaID(rawValue: 1))
  }
}

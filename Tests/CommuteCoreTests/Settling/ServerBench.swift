import CommuteCore

/// A server with one feed, and operations made by hand.
struct ServerBench {
  static let key = RecordKey(table: "book", id: RecordID(high: 0, low: 1))
  static let epoch = Epoch(rawValue: 7)
  /// The server's own replica id.
  static let server = ReplicaID(rawValue: 99)

  var state = ServerState(epoch: epoch, clock: HybridClock(replica: server))
  var settlement = Settlement()
  var time: Int64 = 1_000_000
  private(set) var outcome = Settlement.Outcome()
  private var operations: UInt64 = 0
  private var numbers: UInt64 = 0

  static func stamp(_ milliseconds: UInt64, by replica: UInt64 = 1) -> Stamp {
    Stamp(milliseconds: milliseconds, counter: 0, replica: ReplicaID(rawValue: replica))
  }

  /// An operation that writes texts at one stamp.
  mutating func operation(
    _ texts: [Key: String] = [:], at stamp: Stamp = stamp(500), over: Over? = nil,
    creates: Bool = false, deleted: Stamp? = nil, base: UInt64? = nil, key: RecordKey = key
  ) -> Operation {
    operations += 1
    var operation = Operation(
      id: OperationID(high: 0, low: operations), schema: 1, replica: stamp.replica,
      base: base.map { Revision(epoch: Self.epoch, number: $0) }, key: key, feed: "books",
      creates: creates, deleted: deleted,
      digest: SHA256.Digest(first: operations, second: 0, third: 0, fourth: 0))
    for (name, text) in texts {
      operation.fields[name] = OperationField(value: .text(text), stamp: stamp, over: over)
    }
    return operation
  }

  /// A request of a replica under a new number, which asks about the operations' feed.
  mutating func request(
    _ operations: [Operation], replica: UInt64 = 1, feeds: [SyncRequest.Feed]? = nil
  ) -> SyncRequest {
    numbers += 1
    return SyncRequest(
      schema: SchemaID(name: "shelf", version: 1, hash: 1), build: "", owner: "home/ada",
      replica: ReplicaID(rawValue: replica), device: "", number: numbers,
      nonce: Nonce(high: 0, low: numbers), epoch: Self.epoch, time: 0,
      feeds: feeds ?? [SyncRequest.Feed(feed: "books", cursor: 0)],
      operations: operations.map { SyncRequest.SentOperation(operation: $0) })
  }

  /// Settles a request.
  @discardableResult
  mutating func settle(_ request: SyncRequest, user: String = "ada") -> [Verdict] {
    outcome = settlement.settle(request, in: &state, time: time, user: user)
    return outcome.verdicts
  }

  /// Settles operations in a request of their own, and gives the first verdict.
  @discardableResult
  mutating func settle(_ operations: Operation..., user: String = "ada") -> Verdict {
    let request = request(operations)
    return settle(request, user: user)[0]
  }

  /// Makes a book with a title.
  mutating func create(
    _ title: String = "first", at stamp: Stamp = stamp(500), user: String = "ada"
  ) {
    let operation = operation(["title": title], at: stamp, creates: true)
    settle(operation, user: user)
  }

  /// What the server holds.
  var stored: RecordState? { state.records[Self.key]?.state }

  var title: FieldState? { stored?.fields["title"] }
}

extension Verdict.Kind {
  /// The code of a refusal; nil for anything else.
  var code: RejectionCode? {
    if case .rejected(let code, _) = self { code } else { nil }
  }
}

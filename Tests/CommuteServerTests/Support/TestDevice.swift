import CommuteCore

/// A device that makes requests by hand, so that a test decides what it sends.
///
/// Every request and answer passes through bytes.
struct TestDevice {
  let account: Account
  var replica: ReplicaID
  var name: String
  var number: UInt64 = 0
  var epoch: Epoch?
  var cursors: [Key: UInt64?] = ["books": nil]
  private var counter: UInt64 = 0

  init(_ replica: UInt64 = 0xA, name: String = "phone", account: Account = .local) {
    self.account = account
    self.replica = ReplicaID(rawValue: replica)
    self.name = name
  }

  /// The wall clock of all tests, in milliseconds.
  static let time: Int64 = 1_700_000_000_000

  /// A number that no other call of this device gives.
  mutating func unique() -> UInt64 {
    counter += 1
    return counter
  }

  mutating func stamp(later milliseconds: Int64 = 0) -> Stamp {
    let time = UInt64(Self.time + milliseconds)
    return Stamp(
      milliseconds: time, counter: UInt16(truncatingIfNeeded: unique()), replica: replica)
  }

  /// A book whose id is a UUID of version 7, as of one that a person has made.
  static func book(_ number: UInt64) -> RecordKey {
    RecordKey(table: "book", id: RecordID(high: 0xB00C_7000, low: number))
  }

  /// An operation on a book with one text field.
  mutating func operation(
    _ book: UInt64, _ text: String, in field: Key = "title", creates: Bool = true,
    feed: Key = "books", base: Revision? = nil, over: Over? = nil, stamp: Stamp? = nil
  ) -> CommuteCore.Operation {
    let stamp = stamp ?? self.stamp()
    return CommuteCore.Operation(
      id: OperationID(high: replica.rawValue, low: unique()), schema: 1, replica: replica,
      epoch: epoch, base: base, key: Self.book(book), feed: feed, creates: creates,
      fields: [field: OperationField(value: .text(text), stamp: stamp, over: over)])
  }

  mutating func deletion(_ book: UInt64, base: Revision? = nil) -> CommuteCore.Operation {
    CommuteCore.Operation(
      id: OperationID(high: replica.rawValue, low: unique()), schema: 1, replica: replica,
      epoch: epoch, base: base, key: Self.book(book), feed: "books", deleted: stamp())
  }

  /// A request as the server reads it from the wire.
  mutating func request(
    _ operations: [CommuteCore.Operation] = [],
    limit: SyncRequest.Limit = SyncRequest.Limit()
  ) throws -> SyncRequest {
    if !operations.isEmpty { number += 1 }
    let feeds = cursors.sorted { $0.key < $1.key }.map { feed, cursor in
      SyncRequest.Feed(feed: feed, cursor: cursor)
    }
    let request = SyncRequest(
      schema: SchemaID(name: "library", version: 1, hash: 1), build: "test",
      owner: account.owner, replica: replica, device: name, number: number,
      nonce: Nonce(high: replica.rawValue, low: unique()), epoch: epoch, time: Self.time,
      feeds: feeds, operations: operations.map { SyncRequest.SentOperation(operation: $0) },
      limit: limit)
    return try SyncRequest(decoding: request.encoded())
  }

  /// Takes over what an answer says about cursors and epoch.
  mutating func apply(_ answer: SyncAnswer) {
    epoch = answer.epoch
    for feed in answer.feeds { cursors[feed.feed] = feed.cursor }
  }
}

extension SyncAnswer {
  /// The records of all pages, in order.
  var records: [RecordMessage] { feeds.flatMap(\.records) }

  /// Whether every verdict is `applied`.
  var isAllApplied: Bool { verdicts.allSatisfy { $0.kind == .applied } }

  /// The numbers of the records, in order.
  var numbers: [UInt64] { records.compactMap { $0.state.revision?.number } }
}

extension RecordMessage {
  /// The text of a field.
  func text(_ field: Key) -> String? {
    guard case .text(let text) = state.fields[field]?.value else { return nil }
    return text
  }
}

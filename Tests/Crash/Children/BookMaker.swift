import CommuteCore
import CommuteFeatures
import CommuteStore
import CommuteTestKit

/// Makes books and the requests that carry them.
struct BookMaker {
  private let schema: Schema
  private var generator = SeededGenerator(seed: 7)
  /// How many books it has made.
  private(set) var made = 0
  private var number: UInt64 = 0
  private let replica = ReplicaID(rawValue: 0xB00C)

  init(schema: Schema) {
    self.schema = schema
  }

  /// The bytes of a request with so many new books.
  mutating func request(of count: Int) -> [UInt8] {
    number += 1
    let operations = (0..<count).map { _ in nextOperation() }
    let feed = SyncRequest.Feed(feed: Key(ReadingList.feed), cursor: 1 << 52)
    let request = SyncRequest(
      schema: schema.id, build: "crash", owner: Account.local.owner, replica: replica,
      device: "writer", number: number, nonce: Nonce.random(using: &generator), epoch: nil,
      time: 0, feeds: [feed], operations: operations)
    return request.encoded()
  }

  private mutating func nextOperation() -> SyncRequest.SentOperation {
    made += 1
    let time: UInt64 = 1_700_000_000_000 + UInt64(made)
    let stamp = Stamp(milliseconds: time, counter: 0, replica: replica)
    let key = RecordKey(
      table: Book.table.schema.name, id: RecordID.new(milliseconds: time, using: &generator))
    var operation = Operation(
      id: OperationID.random(using: &generator), schema: schema.version, replica: replica,
      key: key, feed: Key(ReadingList.feed), creates: true)
    for (name, value) in values() {
      operation.fields[Key(name)] = OperationField(value: value, stamp: stamp)
    }
    return SyncRequest.SentOperation(operation: operation)
  }

  private func values() -> [(String, FieldValue)] {
    [
      ("title", .text("The \(made)th Book of Ordinary Length")),
      ("author", .text("Author Number \(made % 4_000)")),
      ("tags", .list(["tag\(made % 50)", "shelf\(made % 7)"])), ("read", .boolean(made % 3 == 0)),
      ("readAt", made % 3 == 0 ? .instant(1_600_000_000_000 + Int64(made) * 1_000) : .null),
      ("rating", made % 4 == 0 ? .integer(Int64(made % 5) + 1) : .null),
      ("notes", .text(made % 5 == 0 ? "A note of some words about this one." : "")),
      ("isbn", made % 2 == 0 ? .text("978\(1_000_000_000 + made)") : .null),
    ]
  }
}

import CommuteCore
import CommuteHTTP
import CommuteTestKit
import Synchronization

/// Maps the naive design onto our wire: a row is a record with one field that holds all of it.
///
/// Wall clocks are halved on the wire. Their order stays, but a clock that is ahead does not look
/// so to our server, which would else protect the naive design from it.
final class NaiveWire: Sendable {
  private static let table: Key = "naive"
  private static let field: Key = "row"

  private let server: String
  private let device: String
  private let person: Person?
  private let client = Network.makeClient()
  private let replica: ReplicaID
  private let state: Mutex<(number: UInt64, generator: SeededGenerator)>

  init(_ setting: DeviceSetting) {
    var generator = SeededGenerator(seed: setting.seed)
    server = setting.server
    device = setting.name.rawValue
    person = setting.person
    replica = ReplicaID.random(using: &generator)
    state = Mutex((number: 0, generator: generator))
  }

  /// Sends operations and reads all rows of the server; nil without an answer.
  func exchange(_ operations: [NaiveOperation], wall: Int64) async throws -> [NaiveRow]? {
    let body = request(operations, wall: wall).encoded()
    var headers: HTTPHeaders = ["Content-Type": "application/json"]
    if let person { headers["Authorization"] = "Bearer \(person.token)" }
    let response: HTTPResponse
    do {
      response = try await client.send(
        HTTPRequest(
          method: .post, url: server + "/v1/sync",
          headers: headers, body: body))
    } catch {
      return nil
    }
    guard response.status == 200 else {
      throw StoryError(
        "the server answered \(response.status): \(String(decoding: response.body, as: UTF8.self))")
    }
    let answer = try SyncAnswer(decoding: response.body)
    return answer.feeds.flatMap(\.records).compactMap(row)
  }

  private func request(_ operations: [NaiveOperation], wall: Int64) -> SyncRequest {
    state.withLock { state in
      state.number += 1
      let sent = operations.map { operation in
        SyncRequest.SentOperation(
          operation: self.operation(
            operation, id: OperationID.random(using: &state.generator)))
      }
      return SyncRequest(
        schema: SchemaID(name: Self.table, version: 1, hash: 0), build: "naive",
        owner: (person?.account ?? .local).owner, replica: replica, device: device,
        number: state.number,
        nonce: Nonce.random(using: &state.generator), epoch: nil, time: wall,
        feeds: [SyncRequest.Feed(feed: Self.table)], operations: sent)
    }
  }

  private func operation(_ operation: NaiveOperation, id: OperationID) -> CommuteCore.Operation {
    let stamp = Stamp(
      milliseconds: UInt64(clamping: operation.changed / 2),
      counter: UInt16(clamping: operation.changed % 2), replica: replica)
    let value = operation.content.map { FieldValue.text($0) } ?? .null
    return CommuteCore.Operation(
      id: id, schema: 1, replica: replica,
      key: RecordKey(table: Self.table, id: Self.id(of: operation.row)), feed: Self.table,
      creates: true,
      fields: FieldMap([(Self.field, OperationField(value: value, stamp: stamp))]))
  }

  /// A row of the server; nil for one that was deleted, of which a row-keeping server would say
  /// nothing either.
  private func row(_ record: RecordMessage) -> NaiveRow? {
    guard let field = record.state.fields[Self.field], case .text(let content) = field.value else {
      return nil
    }
    return NaiveRow(
      number: Int64(bitPattern: record.key.id.low),
      changed: Int64(field.stamp.milliseconds) * 2 + Int64(field.stamp.counter),
      content: content)
  }

  private static func id(of row: Int64) -> RecordID {
    RecordID(high: 0x6E61_6976_6500_8000, low: UInt64(bitPattern: row))
  }
}

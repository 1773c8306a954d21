import CommuteCore
import CommuteFeatures
import CommuteHTTP
import Testing

@testable import CommuteTool

/// What the server of the program refuses although the device did not.
@Suite struct ServerRulesTests {
  private func operation(_ number: UInt64, title: String, rating: Int64?) -> CommuteCore.Operation {
    let replica = ReplicaID(rawValue: 7)
    func field(_ value: FieldValue) -> OperationField {
      OperationField(
        value: value, stamp: Stamp(milliseconds: 1_000, counter: 1, replica: replica))
    }
    return CommuteCore.Operation(
      id: OperationID(high: 7, low: number), schema: ReadingList.schemaVersion, replica: replica,
      key: RecordKey(table: "book", id: RecordID(high: 0x7000, low: number)),
      feed: Key(ReadingList.feed), creates: true,
      fields: [
        "title": field(.text(title)), "author": field(.text("")), "tags": field(.list([])),
        "read": field(.boolean(false)), "readAt": field(.null), "notes": field(.text("")),
        "rating": field(rating.map { .integer($0) } ?? .null), "isbn": field(.null),
      ])
  }

  private func send(
    _ operations: [CommuteCore.Operation], to url: String
  ) async throws -> SyncAnswer {
    let request = SyncRequest(
      schema: try ReadingList.schema().id, build: "test", owner: "local/local",
      replica: ReplicaID(rawValue: 7), device: "old app", number: 1,
      nonce: Nonce(high: 1, low: 1), epoch: nil, time: 1_000,
      feeds: [SyncRequest.Feed(feed: Key(ReadingList.feed))],
      operations: operations.map { SyncRequest.SentOperation(operation: $0) })
    #if os(Linux)
      let client: any HTTPClient = CurlClient()
    #else
      let client: any HTTPClient = URLSessionClient()
    #endif
    let response = try await client.send(
      HTTPRequest(
        method: .post, url: "\(url)/v1/sync", headers: ["Content-Type": "application/json"],
        body: request.encoded()))
    return try SyncAnswer(decoding: response.body)
  }

  @Test func `a book without a title or with six stars, each in words, and no neighbour`()
    async throws
  {
    let bench = try Workbench()
    let server = try await bench.serve()
    let answer = try await send(
      [
        operation(1, title: "Emma", rating: 5), operation(2, title: " ", rating: nil),
        operation(3, title: "Dracula", rating: 6), operation(4, title: "Villette", rating: 0),
        operation(5, title: "Persuasion", rating: nil),
      ], to: try await server.url())
    #expect(
      answer.verdicts.map(\.kind) == [
        .applied, .rejected(.invalid, message: "a book needs a title"),
        .rejected(.invalid, message: "a rating is 0 to 5 stars, not 6"), .applied, .applied,
      ])
    _ = await server.end()
    let titles = try await bench.ask(
      "server.db", "SELECT state ->> '$.fields.title' FROM record ORDER BY id")
    #expect(titles == "Emma\nVillette\nPersuasion")
  }
}

import CommuteCore
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import CommuteTestKit
import Testing

/// Devices that come back to a server that was put back, or was purged meanwhile, over HTTP.
@Suite struct `a device that comes back` {
  private let folder: TemporaryFolder
  private static let day: Int64 = 86_400_000

  init() throws { folder = try TemporaryFolder() }

  private var database: ServerDatabase { ServerDatabase(folder.file()) }

  private func serve<Result>(
    days: Int64 = 0, _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try await withServer(
      on: try await folder.openStore(), time: TestDevice.time + days * Self.day, body)
  }

  private func restore(days: Int64 = 0) async throws {
    try await database.restore(
      from: folder.file("backup.sqlite"), time: TestDevice.time + days * Self.day,
      generator: SeededGenerator(seed: 5))
  }

  /// What the device holds of books, as the server last told it.
  private func held(
    by device: inout TestDevice, on server: TestServer
  ) async throws -> [RecordMessage] {
    var reader = device
    reader.cursors["books"] = .some(nil)
    let answer = try await server.round(&reader)
    device.cursors = reader.cursors
    return answer.records
  }

  private func offers(
    _ records: [RecordMessage], beyond ancestor: SyncAnswer.Ancestor?
  ) -> [SyncRequest.Offer] {
    let held = ancestor?.heads["books"] ?? 0
    return records.enumerated().compactMap { index, record in
      guard let number = record.state.revision?.number, number > held else { return nil }
      return SyncRequest.Offer(
        id: OperationID(high: 0x0FFE, low: UInt64(index)), feed: "books", record: record)
    }
  }

  private func post(_ request: SyncRequest, to server: TestServer) async throws -> SyncAnswer {
    let response = try await server.post(request.encoded())
    guard response.status == 200 else { throw UnexpectedStatus(response) }
    return try SyncAnswer(decoding: response.body)
  }

  @Test func `to yesterday's copy of the server brings what the copy lacks, once`() async throws {
    var phone = TestDevice(0xA, name: "phone")
    var records: [RecordMessage] = []
    try await serve { server in
      _ = try await server.round(&phone, (1...3).map { phone.operation($0, "Book \($0)") })
      try await database.backup(to: folder.file("backup.sqlite"), time: TestDevice.time)
      _ = try await server.round(
        &phone,
        [
          phone.operation(4, "New"), phone.operation(2, "lovely", in: "note", creates: false),
          phone.deletion(3),
        ])
      records = try await held(by: &phone, on: server)
    }
    try await restore(days: 1)
    var pending = phone.operation(4, "Newer", creates: false)
    try await serve(days: 1) { server in
      pending.epoch = phone.epoch
      let told = try await server.round(&phone, [pending])
      #expect(told.verdicts.isEmpty)
      let offers = offers(records, beyond: told.ancestry.first)
      #expect(offers.map(\.record.key.id.low) == [4, 2, 3])
      phone.cursors["books"] = .some(nil)
      for _ in 0..<2 {
        var request = try phone.request([pending])
        request.offers = offers
        let answer = try await post(request, to: server)
        #expect(answer.verdicts.count == 4)
        #expect(answer.verdicts.allSatisfy { $0.revision != nil })
      }
      var tablet = TestDevice(0xB)
      let read = try await server.round(&tablet).records
      #expect(read.map { $0.text("title") } == ["Book 1", "Book 2", "Book 3", "Newer"])
      #expect(read.map { $0.state.deleted != nil } == [false, false, true, false])
    }
    let states = try folder.sql(
      "SELECT state ->> '$.fields.title' FROM record ORDER BY id")
    #expect(states == ["Book 1", "Book 2", "Book 3", "Newer"].map { .text($0) })
    #expect(
      try folder.sql("SELECT state ->> '$.fields.note' FROM record WHERE revision = 5")
        == [.text("lovely")])
    #expect(try folder.sql("SELECT revision FROM feed") == [.integer(7)])
  }

  @Test func `later than records of that history are taken keeps them to itself`() async throws {
    var phone = TestDevice(0xA)
    var records: [RecordMessage] = []
    try await serve { server in
      _ = try await server.round(&phone, [phone.operation(1, "Emma")])
      try await database.backup(to: folder.file("backup.sqlite"), time: TestDevice.time)
      _ = try await server.round(&phone, [phone.operation(2, "Dracula")])
      records = try await held(by: &phone, on: server)
    }
    try await restore()
    try await serve(days: 91) { server in
      let told = try await server.round(&phone)
      phone.number += 1
      phone.cursors["books"] = .some(nil)
      var request = try phone.request()
      request.offers = offers(records, beyond: told.ancestry.first)
      let answer = try await post(request, to: server)
      guard case .rejected(.late, _) = answer.verdicts.first?.kind else {
        Issue.record("it was taken: \(answer.verdicts)")
        return
      }
    }
    #expect(try folder.sql("SELECT count(*) FROM record") == [.integer(1)])
  }

  @Test func `behind a purge reads anew, and what was purged stays gone`() async throws {
    var phone = TestDevice(0xA)
    var tablet = TestDevice(0xB)
    try await serve { server in
      _ = try await server.round(&phone, (1...4).map { phone.operation($0, "Book \($0)") })
      _ = try await server.round(&tablet)
      _ = try await server.round(&phone, [phone.deletion(2)])
    }
    try await serve(days: 60) { server in _ = try await server.round(&phone) }
    let purged = try await database.purge(time: TestDevice.time + 100 * Self.day)
    #expect(purged.tombstones == 1)
    #expect(purged.retired == 1)
    try await serve(days: 100) { server in
      let limit = SyncRequest.Limit(bytes: 1 << 20, records: 2)
      var request = try tablet.request(
        [tablet.operation(2, "Mine", creates: false)], limit: limit)
      let first = try await post(request, to: server)
      #expect(first.feeds.first?.reset == 5)
      #expect(first.numbers == [1, 3])
      #expect(first.verdicts.map(\.kind) == [.later(.reset, afterMilliseconds: 0)])
      request.feeds[0].cursor = first.feeds.first?.cursor
      request.feeds[0].reset = 5
      (request.number, request.nonce) = (request.number + 1, Nonce(high: 1, low: 1))
      let second = try await post(request, to: server)
      #expect(second.numbers == [4])
      #expect(second.feeds.first?.more == false)
      request.feeds[0].cursor = second.feeds.first?.cursor
      request.feeds[0].reset = nil
      (request.number, request.nonce) = (request.number + 1, Nonce(high: 1, low: 2))
      let last = try await post(request, to: server)
      guard case .rejected(.gone, _) = last.verdicts.first?.kind else {
        Issue.record("it came back: \(last.verdicts)")
        return
      }
    }
  }

  @Test func `after it was retired is told what nobody remembers`() async throws {
    var phone = TestDevice(0xA)
    let sent = phone.operation(1, "Emma")
    try await serve { server in _ = try await server.round(&phone, [sent]) }
    try await database.purge(time: TestDevice.time + 100 * Self.day)
    #expect(try folder.sql("SELECT count(*) FROM operation") == [.integer(0)])
    try await serve(days: 100) { server in
      let fresh = phone.operation(2, "Dracula")
      var request = try phone.request([sent, fresh])
      request.again = [sent.id]
      let answer = try await post(request, to: server)
      guard case .rejected(.expired, _) = answer.verdicts.first?.kind else {
        Issue.record("it was judged: \(answer.verdicts)")
        return
      }
      #expect(answer.verdicts.last?.kind == .applied)
    }
    #expect(try folder.sql("SELECT revision FROM feed") == [.integer(2)])
  }

  @Test func `with an app that is too old is told to update, and nothing is settled`()
    async throws
  {
    var settings = ServerSettings()
    settings.minimumSchema = 2
    try await withServer(in: folder, settings: settings) { server in
      var phone = TestDevice()
      let request = try phone.request([phone.operation(1, "Emma")])
      let response = try await server.post(request.encoded())
      #expect(response.status == 426)
      #expect(response.headers["Upgrade"] == "commute/1")
      #expect(response.text.contains("\"error\":\"needsUpdate\""))
      #expect(response.text.contains("\"minimumSchema\":2"))
    }
    #expect(try folder.sql("SELECT count(*) FROM record") == [.integer(0)])
    settings.minimumSchema = 1
    try await withServer(in: folder, settings: settings) { server in
      var phone = TestDevice()
      let answer = try await server.round(&phone, [phone.operation(1, "Emma")])
      #expect(answer.isAllApplied)
    }
  }
}

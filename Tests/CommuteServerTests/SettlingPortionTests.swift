import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Testing

@Suite struct `a request that touches more than an answer may carry` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `is settled in parts`() async throws {
    var settings = ServerSQLiteSettings()
    settings.touchedBytesLimit = 80_000
    let store = try await folder.openStore(settings: settings)
    var phone = TestDevice(0xA)
    let count: UInt64 = 12
    let long = String(repeating: "x", count: 10_000)
    for book in 0..<count {
      _ = try await store.round(&phone, [phone.operation(book, long)])
    }
    var tablet = TestDevice(0xB)
    tablet.cursors["books"] = count
    var left = (0..<count).map { tablet.operation($0, "lovely", in: "note", creates: false) }
    var rounds = 0
    while !left.isEmpty, rounds < 5 {
      rounds += 1
      let request = try tablet.request(left)
      let answer = try await store.answer(request, of: .local, time: TestDevice.time)
      let bytes = answer.encoded()
      #expect(bytes.count < 2 * settings.touchedBytesLimit)
      #expect(try SyncAnswer(decoding: bytes).nonce == request.nonce)
      let waiting = Set(answer.verdicts.filter { $0.kind != .applied }.map(\.id))
      #expect(waiting.count < left.count)
      left.removeAll { !waiting.contains($0.id) }
    }
    #expect(rounds == 2)
    await store.close()
    let notes = try folder.sql(
      "SELECT count(*) FROM record WHERE state ->> '$.fields.note' = 'lovely'")
    #expect(notes == [.integer(Int64(count))])
  }
}

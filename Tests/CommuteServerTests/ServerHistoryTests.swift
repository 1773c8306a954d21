import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Testing

/// What later versions write, this one reads: fences, grants, stubs and earlier epochs.
@Suite struct `a server with a history` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes a server with five books, changes its file, and opens it again.
  private func store(changedBy sql: String) async throws -> ServerSQLiteStore {
    let store = try await folder.openStore()
    var phone = TestDevice(0xA, name: "phone")
    _ = try await store.round(&phone, (1...5).map { phone.operation($0, "Book \($0)") })
    await store.close()
    let connection = try Connection(.file(folder.file()), Configuration(.readWrite))
    try connection.execute(sql)
    connection.close()
    return try await folder.openStore()
  }

  @Test func `a cursor behind the fence is told to read anew, and its operations wait`()
    async throws
  {
    let store = try await store(changedBy: "UPDATE feed SET fence = 3")
    var tablet = TestDevice(0xB)
    tablet.cursors["books"] = 2
    let limit = SyncRequest.Limit(bytes: 1 << 20, records: 3)
    let request = try tablet.request([tablet.operation(9, "Late")], limit: limit)
    let answer = try await store.send(request, of: tablet)
    guard case .later(.reset, _) = answer.verdicts.first?.kind else {
      Issue.record("it was judged: \(answer.verdicts)")
      return
    }
    #expect(answer.feeds.first?.reset == 3)
    #expect(answer.numbers == [1, 2, 3])
    #expect(answer.feeds.first?.more == true)

    var inside = request
    inside.feeds[0].cursor = 3
    inside.feeds[0].reset = 3
    inside.number += 1
    inside.nonce = Nonce(high: 9, low: 9)
    let rest = try await store.send(inside, of: tablet)
    #expect(rest.numbers == [4, 5])
    #expect(rest.feeds.first?.reset == 3)
    #expect(rest.feeds.first?.more == false)
    guard case .later(.reset, _) = rest.verdicts.first?.kind else {
      Issue.record("it was judged inside the reset: \(rest.verdicts)")
      return
    }

    // The device has read the last page and swept; only then its operations are judged.
    inside.feeds[0].cursor = rest.feeds.first?.cursor
    inside.feeds[0].reset = nil
    inside.number += 1
    inside.nonce = Nonce(high: 9, low: 10)
    let after = try await store.send(inside, of: tablet)
    #expect(after.isAllApplied)
    await store.close()
  }

  @Test func `a cursor inside another reset begins anew`() async throws {
    let store = try await store(changedBy: "UPDATE feed SET fence = 4")
    var tablet = TestDevice(0xB)
    var request = try tablet.request()
    request.feeds[0].cursor = 2
    request.feeds[0].reset = 3
    let answer = try await store.send(request, of: tablet)
    #expect(answer.feeds.first?.reset == 4)
    #expect(answer.numbers == [1, 2, 3, 4, 5])
    await store.close()
  }

  @Test func `a new grant is told with its number, for its user only`() async throws {
    let store = try await store(
      changedBy: "INSERT INTO \"grant\" VALUES ('local', 'local', 'books', 2, 'write', NULL)")
    var tablet = TestDevice(0xB)
    var request = try tablet.request()
    request.feeds[0].grant = 1
    request.feeds[0].cursor = 5
    let answer = try await store.send(request, of: tablet)
    #expect(answer.feeds.first?.grant == 2)
    #expect(answer.feeds.first?.reset == 0)
    #expect(answer.records.count == 5)
    await store.close()
  }

  @Test func `a purged record stays gone`() async throws {
    let store = try await store(
      changedBy: """
        INSERT INTO stub SELECT tenant, tbl, id FROM record WHERE revision = 2;
        DELETE FROM record WHERE revision = 2;
        """)
    var tablet = TestDevice(0xB)
    var review = tablet.operation(8, "A review")
    review.needs = [TestDevice.book(2)]
    let answer = try await store.round(&tablet, [tablet.operation(2, "Again")])
    guard case .rejected(.gone, _) = answer.verdicts.first?.kind else {
      Issue.record("it was not refused: \(answer.verdicts)")
      return
    }
    #expect(try await store.round(&tablet, [review]).isAllApplied)
    await store.close()
  }

  @Test func `a device of an earlier epoch is told the ancestry`() async throws {
    let store = try await store(
      changedBy: """
        INSERT INTO epoch_head(tenant, epoch, feed, head, ended) VALUES
          ('local', 171, 'books', 3, 5000), ('local', 171, 'films', 1, 5000),
          ('local', 170, 'books', 2, 4000), ('other', 171, 'books', 9, 5000);
        """)
    var tablet = TestDevice(0xB)
    tablet.epoch = Epoch(rawValue: 171)
    let answer = try await store.round(&tablet, [tablet.operation(9, "Late")])
    #expect(
      answer.ancestry == [
        SyncAnswer.Ancestor(epoch: Epoch(rawValue: 170), ended: 4_000, heads: ["books": 2]),
        SyncAnswer.Ancestor(
          epoch: Epoch(rawValue: 171), ended: 5_000, heads: ["books": 3, "films": 1]),
      ])
    #expect(answer.verdicts.isEmpty)
    #expect(answer.feeds.isEmpty)
    await store.close()
  }

  @Test func `a database without its row of meta answers nothing, and says so`() async throws {
    let store = try await folder.openStore()
    let connection = try Connection(.file(folder.file()), Configuration(.readWrite))
    try connection.execute("DELETE FROM meta")
    connection.close()
    var tablet = TestDevice(0xB)
    for request in [try tablet.request(), try tablet.request([tablet.operation(1, "Emma")])] {
      let error = await #expect(throws: ServerStoreError.self) {
        try await store.answer(request, of: .local, time: TestDevice.time)
      }
      #expect(error?.description.contains("restore a backup") == true)
    }
    await store.close()
  }
}

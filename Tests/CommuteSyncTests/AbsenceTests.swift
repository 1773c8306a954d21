import CommuteCore
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite
import CommuteStore
import Testing

@testable import CommuteSync

/// Devices that come back after a long time, or to another server than they knew, against a
/// server's real store.
@Suite(.timeLimit(.minutes(2))) struct AbsenceTests {
  static let day: Int64 = 86_400_000

  let scene: Scene
  let store: Store

  init() async throws {
    scene = try await Scene()
    store = try scene.open()
    try await scene.otherDevice(adds: 1...5)
    _ = await scene.driver(store).sync()
  }

  /// The other device deletes books, and after three months in touch the server purges them.
  private func letOthersDelete(_ numbers: UInt64...) async throws {
    let other = try scene.open("other")
    try await other.write { tx in
      for number in numbers { try tx.delete(Book.self, id(number)) }
    }
    _ = await scene.driver(other).sync()
    scene.time.advance(91 * Self.day)
    _ = await scene.driver(other).sync()
    await other.close()
    let report = try await ServerDatabase("\(scene.folder)/server.db").purge(
      time: scene.time.wall)
    #expect(report.tombstones == numbers.count)
  }

  private func titlesOfFreshDevice(_ client: ScriptedClient? = nil) async throws -> [String] {
    let fresh = try scene.open("fresh")
    _ = await scene.driver(fresh, client: client).sync()
    let titles = try await fresh.titles()
    await fresh.close()
    return titles
  }

  @Test func `a device that was away for three months reads anew, and sends what it may`()
    async throws
  {
    try await store.write { tx in
      try tx.update(Book.self, id(1)) { $0.note = "of a book that is gone" }
      try tx.update(Book.self, id(3)) { $0.note = "kept" }
      try tx.insert(Book(id: id(9), title: "9"))
    }
    try await letOthersDelete(1, 2)
    let report = await scene.driver(store).sync()
    let inbox = try await store.inbox()
    let counts = try await store.counts()
    #expect(report.failure == nil)
    #expect(report.status.text == "Up to date")
    #expect(report.settled == 2)
    #expect(inbox.map(\.code) == [.gone])
    #expect(inbox.map(\.key.id) == [id(1)])
    #expect(counts.waiting == 0)
    #expect(try await store.titles() == ["3", "4", "5", "9"])
    #expect(try await titlesOfFreshDevice() == ["3", "4", "5", "9"])
    let note = try await store.read { tx in try tx.fetch(Book.self, id(3)) }?.note
    #expect(note == "kept")
  }

  @Test func `a reset goes on after it was cut off, in pages`() async throws {
    try await letOthersDelete(1)
    let page = Reply { (request, client) async throws(HTTPClientError) in
      var request = request
      request.limit.records = 1
      return try await client.passOn(request)
    }
    scene.client.next(page, page, .failure(.timedOut))
    let cut = await scene.driver(store).sync()
    await store.close()
    let again = try scene.open()
    let device = try await again.device()
    scene.client.usually(page)
    let rest = await scene.driver(again).sync()
    #expect(cut.received == 2)
    #expect(device.feeds["books"]?.reset == 6)
    #expect(device.feeds["books"]?.cursor == 3)
    #expect(rest.received == 2)
    #expect(try await again.titles() == ["2", "3", "4", "5"])
  }

  @Test func `a server that was put back gets again what it lost`() async throws {
    let backup = "\(scene.folder)/monday.backup"
    try await ServerDatabase("\(scene.folder)/server.db").backup(to: backup, time: scene.time.wall)
    try await store.write { tx in
      try tx.update(Book.self, id(1)) { $0.note = "after the backup" }
      try tx.delete(Book.self, id(2))
      try tx.insert(Book(id: id(6), title: "6"))
    }
    _ = await scene.driver(store).sync()
    try await store.write { tx in try tx.update(Book.self, id(6)) { $0.note = "not sent yet" } }
    let client = try await scene.putBack(backup)
    let report = await scene.driver(store, client: client).sync()
    let counts = try await store.counts()
    #expect(report.failure == nil)
    #expect(report.status.text == "Up to date")
    #expect(counts == StoreCounts())
    let offered = client.requests.map { Set($0.offers.map(\.record.key.id)) }
    #expect(
      offered == [[], [id(1), id(2), id(6)]] || offered == [[], [id(1), id(2), id(6)], []])
    #expect(try await store.titles() == ["1", "3", "4", "5", "6"])
    #expect(try await titlesOfFreshDevice(client) == ["1", "3", "4", "5", "6"])
    let fresh = try scene.open("fresh")
    let notes = try await fresh.read { tx in try tx.fetch(Book.order(by: \.title)) }.map(\.note)
    #expect(notes == ["after the backup", "", "", "", "not sent yet"])
  }

  @Test func `what the server cannot take of an offer waits, and the rest goes on`() async throws {
    let backup = "\(scene.folder)/monday.backup"
    try await ServerDatabase("\(scene.folder)/server.db").backup(to: backup, time: scene.time.wall)
    try await store.add(6...8)
    _ = await scene.driver(store).sync()
    let client = try await scene.putBack(backup)
    client.usually(
      Reply { (request, client) async throws(HTTPClientError) in
        guard request.offers.contains(where: { $0.record.key.id == id(6) }) else {
          return try await client.passOn(request)
        }
        return HTTPResponse(
          status: 413, headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
      })
    let report = await scene.driver(store, client: client).sync()
    let inbox = try await store.inbox()
    #expect(report.status.text == "Up to date")
    #expect(inbox.map(\.key.id) == [id(6)])
    #expect(inbox.map(\.code) == [.tooLarge])
    #expect(try await titlesOfFreshDevice(client) == ["1", "2", "3", "4", "5", "7", "8"])
  }

  @Test func `a feed that was taken away is gone here, and comes back whole`() async throws {
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.note = "late" } }
    try await scene.server.setAccess(.none(reason: "you left"), of: .local, to: "books")
    let report = await scene.driver(store).sync()
    let inbox = try await store.inbox()
    #expect(report.revoked == ["books": "you left"])
    #expect(report.status == .notGranted(waiting: 0, feeds: ["books"]))
    #expect(report.status.text == "No longer granted to you: books")
    #expect(inbox.map(\.code) == [.forbidden])
    #expect(try await store.titles().isEmpty)
    await store.close()
    let again = try scene.open()
    let silent = await scene.driver(again).sync()
    #expect(silent.revoked.isEmpty)
    #expect(silent.status == .notGranted(waiting: 0, feeds: ["books"]))
    #expect(scene.client.requests.last?.feeds.isEmpty == true)
    try await scene.server.setAccess(.write, of: .local, to: "books")
    try await again.subscribe(to: "books")
    let granted = await scene.driver(again).sync()
    #expect(granted.status.text == "Up to date")
    #expect(try await again.titles() == ["1", "2", "3", "4", "5"])
  }

  @Test func `a device whose clock stood a year ahead is not ahead any more`() async throws {
    let now = scene.time.wall
    scene.time.advance(365 * Self.day)
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.note = "of the future" } }
    scene.time.advance(-365 * Self.day)
    let report = await scene.driver(store).sync()
    let device = try await store.device()
    #expect(report.failure == nil)
    #expect(device.earlierReplicas.count == 1)
    #expect(device.clock.last >> 16 <= UInt64(now + 60_000))
    // What it writes now is taken as it is, and what others write then wins.
    try await store.write { tx in try tx.update(Book.self, id(1)) { $0.note = "of today" } }
    let next = await scene.driver(store).sync()
    #expect(next.settled == 1)
    scene.time.advance(120_000)
    let other = try scene.open("other")
    _ = await scene.driver(other).sync()
    let told = try await other.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(told?.note == "of today")
    try await other.write { tx in try tx.update(Book.self, id(1)) { $0.note = "later" } }
    _ = await scene.driver(other).sync()
    _ = await scene.driver(store).sync()
    let shown = try await store.read { tx in try tx.fetch(Book.self, id(1)) }
    #expect(shown?.note == "later")
    #expect(try await store.device().clock.last >> 16 <= UInt64(scene.time.wall + 60_000))
  }

  @Test func `a reset in the middle of pages that are under way begins anew`() async throws {
    try await scene.otherDevice(adds: 6...600)
    let pages = Reply { (request, client) async throws(HTTPClientError) in
      var request = request
      request.limit.records = 100
      return try await client.passOn(request)
    }
    let fenced = Reply { (request, client) async throws(HTTPClientError) in
      var request = request
      request.limit.records = 100
      // As a server answers whose fence has moved since.
      request.feeds[0].reset = 7
      return try await client.passOn(request)
    }
    // A record that no server tells any more, in the place of one that it does.
    scene.client.next(
      .changed { answer in
        let stamp = Stamp(milliseconds: 1, counter: 0, replica: ReplicaID(rawValue: 99))
        answer.feeds[0].records.removeLast()
        answer.feeds[0].records.append(
          RecordMessage(
            key: RecordKey(table: "book", id: id(9_000)),
            state: RecordState(
              revision: Revision(epoch: answer.epoch, number: 600), author: "local",
              fields: ["title": FieldState(value: .text("strange"), stamp: stamp)])))
      })
    let first = await scene.driver(store).sync()
    #expect(first.failure == nil)
    let strange = try await store.read { tx in try tx.fetch(Book.self, id(9_000)) }
    #expect(strange != nil)
    let fresh = try scene.open("fresh")
    scene.client.next(pages, pages, fenced)
    scene.client.usually(pages)
    let report = await scene.driver(fresh).sync()
    #expect(report.failure == nil)
    #expect(report.received == 800)
    #expect(try await fresh.titles().count == 600)
    let device = try await fresh.device()
    #expect(device.feeds["books"] == FeedState(cursor: 600, grant: 1))
    // The one that knew more than the server is set right by a reset of its own.
    scene.client.next(fenced)
    _ = await scene.driver(store).sync()
    #expect(try await store.titles().count == 600)
    let swept = try await store.read { tx in try tx.fetch(Book.self, id(9_000)) }
    #expect(swept == nil)
  }

  @Test func `another epoch in the middle of pages that are under way`() async throws {
    try await scene.otherDevice(adds: 6...600)
    let pages = Reply { (request, client) async throws(HTTPClientError) in
      var request = request
      request.limit.records = 100
      return try await client.passOn(request)
    }
    let fresh = try scene.open("fresh")
    scene.client.next(
      pages, pages,
      Reply { (request, client) async throws(HTTPClientError) in
        var answer = try await client.answer(request)
        answer.epoch = Epoch(rawValue: 7)
        answer.feeds = []
        return .json(answer)
      })
    scene.client.usually(pages)
    let report = await scene.driver(fresh).sync()
    let device = try await fresh.device()
    #expect(report.failure == nil)
    #expect(try await fresh.titles().count == 600)
    #expect(device.feeds["books"]?.cursor == 600)
    let counts = try await fresh.counts()
    #expect(counts == StoreCounts())
  }
}

import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Synchronization
import Testing

@Suite struct `a purge` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let day: Int64 = 86_400_000
  private var database: ServerDatabase { ServerDatabase(folder.file()) }

  private var options: PurgeOptions {
    var options = PurgeOptions()
    options.pause = .zero
    return options
  }

  private func purge(
    after days: Int64, rowsAtOnce: Int = 1_000
  ) async throws -> PurgeReport {
    var options = options
    options.rowsAtOnce = rowsAtOnce
    return try await database.purge(options, time: TestDevice.time + days * Self.day)
  }

  private func texts(_ sql: String) throws -> [SQLValue] { try folder.sql(sql) }

  /// Five books, of which two and four are deleted; phone and tablet have read everything.
  private func library(
    _ phone: inout TestDevice, _ tablet: inout TestDevice
  ) async throws -> ServerSQLiteStore {
    let store = try await folder.openStore()
    _ = try await store.round(&phone, (1...5).map { phone.operation($0, "Book \($0)") })
    _ = try await store.round(&phone, [phone.deletion(2), phone.deletion(4)])
    for _ in 0..<2 {
      _ = try await store.round(&phone)
      _ = try await store.round(&tablet)
    }
    return store
  }

  /// Lets a device be seen on a day.
  private func see(
    _ device: inout TestDevice, day: Int64, on store: ServerSQLiteStore
  ) async throws {
    _ = try await store.round(&device, time: TestDevice.time + day * Self.day)
  }

  @Test func `leaves of deleted records a stub, and raises the fence`() async throws {
    var (phone, tablet) = (TestDevice(0xA), TestDevice(0xB))
    let store = try await library(&phone, &tablet)
    try await see(&phone, day: 100, on: store)
    try await see(&tablet, day: 100, on: store)
    await store.close()
    #expect(try await purge(after: 89).tombstones == 0)
    #expect(try texts("SELECT fence FROM feed") == [.integer(0)])
    let report = try await purge(after: 101)
    #expect(report.tombstones == 2)
    #expect(report.waiting == 0)
    #expect(try texts("SELECT fence FROM feed") == [.integer(7)])
    #expect(try texts("SELECT count(*) FROM stub") == [.integer(2)])
    #expect(try texts("SELECT count(*) FROM record") == [.integer(3)])
    #expect(try texts("SELECT count(*) FROM record WHERE deleted IS NOT NULL") == [.integer(0)])
    #expect(try await purge(after: 101).tombstones == 0)
  }

  @Test func `takes conflicts that were dismissed, and the same loss is not told again`()
    async throws
  {
    var (phone, tablet) = (TestDevice(0xA), TestDevice(0xB))
    let store = try await folder.openStore()
    let lost = phone.operation(1, "Emma")
    _ = try await store.round(&phone, [lost])
    _ = try await store.round(&tablet)
    _ = try await store.round(&tablet, [tablet.operation(1, "Dracula", creates: false)])
    let told = try #require(try await store.round(&phone).records.first { $0.key.isConflict })
    var dismissal = phone.deletion(1)
    dismissal.key = told.key
    #expect(try await store.round(&phone, [dismissal]).isAllApplied)
    for _ in 0..<2 {
      try await see(&phone, day: 100, on: store)
      try await see(&tablet, day: 100, on: store)
    }
    await store.close()
    let conflicts = "SELECT count(*) FROM record WHERE tbl = 'c_conflict'"
    #expect(try texts(conflicts) == [.integer(1)])
    let report = try await purge(after: 101)
    #expect(report.tombstones == 1)
    #expect(try texts(conflicts) == [.integer(0)])
    #expect(try texts("SELECT tbl FROM stub") == [.text("c_conflict")])
    // A file that was put back sends the value that lost again, under another operation id.
    let reopened = try await folder.openStore()
    let again = phone.operation(
      1, "Emma", creates: false, stamp: lost.fields["title"]?.stamp)
    _ = try await reopened.round(&phone, [again], time: TestDevice.time + 101 * Self.day)
    await reopened.close()
    #expect(try texts(conflicts) == [.integer(0)])
  }

  @Test func `waits for a device that was seen and has not read the deletion`() async throws {
    var (phone, tablet) = (TestDevice(0xA), TestDevice(0xB))
    let store = try await library(&phone, &tablet)
    tablet.cursors["books"] = 6
    try await see(&tablet, day: 100, on: store)
    try await see(&phone, day: 100, on: store)
    await store.close()
    let report = try await purge(after: 101)
    #expect(report.tombstones == 1)
    #expect(report.waiting == 1)
    #expect(try texts("SELECT fence FROM feed") == [.integer(6)])
    #expect(try texts("SELECT id FROM stub") == [.bytes(TestDevice.book(2).id.bytes)])
  }

  @Test(arguments: ["from the start", "inside a reset", "of another epoch"])
  func `waits for a device that reads anew`(how: String) async throws {
    var (phone, tablet) = (TestDevice(0xA), TestDevice(0xB))
    let store = try await library(&phone, &tablet)
    var request = try tablet.request()
    switch how {
    case "from the start": request.feeds[0].cursor = nil
    case "inside a reset": request.feeds[0].reset = 1
    default: request.epoch = Epoch(rawValue: 99)
    }
    _ = try await store.send(request, of: tablet, time: TestDevice.time + 100 * Self.day)
    try await see(&phone, day: 100, on: store)
    await store.close()
    #expect(try await purge(after: 101).waiting == 2)
    // Nobody waits for a device that stays away for as long again.
    let reopened = try await folder.openStore()
    try await see(&phone, day: 191, on: reopened)
    await reopened.close()
    #expect(try await purge(after: 191).tombstones == 2)
  }

  @Test func `does not wait for the earlier identity of a file`() async throws {
    var (phone, tablet) = (TestDevice(0xA), TestDevice(0xB))
    let store = try await library(&phone, &tablet)
    var request = try tablet.request()
    request.feeds[0].cursor = 3
    _ = try await store.send(request, of: tablet)
    request = try tablet.request()
    request.replica = ReplicaID(rawValue: 0xC)
    request.replicas = [ReplicaID(rawValue: 0xB)]
    _ = try await store.send(request, of: tablet, time: TestDevice.time + 100 * Self.day)
    await store.close()
    #expect(try texts("SELECT count(*) FROM device WHERE retired IS NULL") == [.integer(3)])
    let report = try await purge(after: 101)
    #expect(report.tombstones == 2)
    #expect(report.retired == 1)
  }

  @Test func `never takes an id that may be made again`() async throws {
    var phone = TestDevice(0xA)
    let store = try await folder.openStore()
    let fixed = RecordKey(table: "book", id: RecordID(high: 0xB00C_8000, low: 1))
    var (make, delete) = (phone.operation(1, "Sample"), phone.deletion(1))
    (make.key, delete.key) = (fixed, fixed)
    _ = try await store.round(&phone, [make])
    _ = try await store.round(&phone, [delete])
    _ = try await store.round(&phone)
    await store.close()
    let report = try await purge(after: 101)
    #expect(report.tombstones == 0)
    #expect(try texts("SELECT count(*) FROM stub") == [.integer(0)])
    #expect(try texts("SELECT count(*) FROM record") == [.integer(1)])
  }

  @Test func `retires who was away, with the memory of what it did`() async throws {
    var (phone, tablet) = (TestDevice(0xA), TestDevice(0xB))
    let store = try await folder.openStore()
    let future = phone.stamp(later: Self.day)
    _ = try await store.round(
      &phone, [phone.operation(1, "Emma", stamp: future), phone.operation(2, "Dracula")])
    _ = try await store.round(&tablet, [tablet.operation(3, "Persuasion")])
    try await see(&tablet, day: 50, on: store)
    await store.close()
    #expect(try texts("SELECT count(*) FROM restamp") == [.integer(1)])
    let report = try await purge(after: 101)
    #expect(report.retired == 1)
    #expect(report.operations == 2)
    #expect(report.restamps == 1)
    #expect(try texts("SELECT replica FROM device WHERE retired IS NOT NULL") == [.integer(0xA)])
    #expect(try texts("SELECT DISTINCT replica FROM operation") == [.integer(0xB)])
    #expect(try texts("SELECT count(*) FROM restamp") == [.integer(0)])
    #expect(try texts("SELECT count(*) FROM record") == [.integer(3)])
  }

  @Test func `keeps what a retired replica does after it came back`() async throws {
    var phone = TestDevice(0xA)
    let store = try await folder.openStore()
    _ = try await store.round(&phone, [phone.operation(1, "Emma")])
    await store.close()
    #expect(try await purge(after: 101).operations == 1)
    let reopened = try await folder.openStore()
    let request = try phone.request([phone.operation(2, "Dracula")])
    let late = TestDevice.time + 102 * Self.day
    #expect(try await reopened.send(request, of: phone, time: late).isAllApplied)
    await reopened.close()
    let report = try await purge(after: 103)
    #expect(report.operations == 0)
    #expect(report.retired == 0)
    #expect(try texts("SELECT count(*) FROM operation") == [.integer(1)])
  }

  @Test func `goes in short transactions, each told, and ends the same`() async throws {
    var (phone, tablet) = (TestDevice(0xA), TestDevice(0xB))
    let store = try await folder.openStore()
    for base in stride(from: UInt64(1), to: 200, by: 50) {
      let numbers = base..<(base + 50)
      _ = try await store.round(&phone, numbers.map { phone.operation($0, "Book \($0)") })
      _ = try await store.round(&phone, numbers.map { phone.deletion($0) })
    }
    _ = try await store.readAll(&tablet)
    try await see(&tablet, day: 50, on: store)
    await store.close()
    let seen = Mutex<[Int]>([])
    var options = options
    options.rowsAtOnce = 30
    let report = try await database.purge(
      options, time: TestDevice.time + 101 * Self.day
    ) { report in seen.withLock { $0.append(report.tombstones) } }
    #expect(report.tombstones == 200)
    #expect(report.operations == 400)
    let steps = seen.withLock { $0 }
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $1 - $0 <= 30 })
    #expect(steps.last == 200)
    #expect(try texts("SELECT fence = revision FROM feed") == [.integer(1)])
    #expect(try texts("PRAGMA integrity_check") == [.text("ok")])
  }

  @Test func `takes old removals out of sets, and tells everybody`() async throws {
    let table = TableSchema("book", fields: [FieldSchema("tags", .list, rule: .set)])
    let rules = ServerRules(try Schema(name: "library", version: 9, tables: [table]))
    var (phone, tablet) = (TestDevice(0xA), TestDevice(0xB))
    let tags = (1...3).map { ElementTag(high: 0x4000, low: $0) }
    func change(
      _ book: UInt64, added: [Int] = [], removed: [Int] = [], creates: Bool
    ) -> CommuteCore.Operation {
      var operation = phone.operation(book, "", creates: creates)
      let change = TagChange(
        added: added.map { TaggedElement(tag: tags[$0], element: "tag \($0)") },
        removed: removed.map { tags[$0] })
      operation.fields = [
        "tags": OperationField(
          value: .null, stamp: phone.stamp(), rule: .set, detail: .tags(change))
      ]
      return operation
    }
    let store = try await folder.openStore(rules: rules)
    _ = try await store.round(
      &phone, [change(1, added: [0, 1], creates: true), change(2, added: [2], creates: true)])
    _ = try await store.round(&phone, [change(1, removed: [0], creates: false)])
    for _ in 0..<2 {
      _ = try await store.round(&phone)
      _ = try await store.round(&tablet)
    }
    try await see(&tablet, day: 50, on: store)
    await store.close()
    let removed = "SELECT count(*) FROM record WHERE state LIKE '%\"gone\":%'"
    #expect(try texts(removed) == [.integer(1)])
    #expect(try await purge(after: 89).pruned == 0)
    #expect(try await purge(after: 101, rowsAtOnce: 1).pruned == 1)
    #expect(try texts(removed) == [.integer(0)])
    #expect(try texts("SELECT revision || ' ' || fence FROM feed") == [.text("4 3")])
    #expect(try await purge(after: 101).pruned == 0)

    let reopened = try await folder.openStore(rules: rules)
    let told = try await reopened.round(&tablet)
    #expect(told.numbers == [4])
    #expect(told.records.first?.state.fields["tags"]?.value == .list(["tag 1"]))
    #expect(told.records.first?.state.fields["tags"]?.set.removals.isEmpty == true)
    #expect(told.feeds.first?.reset == nil)
    await reopened.close()
  }

  @Test func `is made beside a server that goes on`() async throws {
    var (phone, tablet) = (TestDevice(0xA), TestDevice(0xB))
    var settings = ServerSQLiteSettings()
    settings.pagesPerCheckpoint = 1
    let store = try await folder.openStore(settings: settings)
    let numbers: ClosedRange<UInt64> = 1...100
    _ = try await store.round(&phone, numbers.map { phone.operation($0, "Book \($0)") })
    _ = try await store.round(&phone, numbers.map { phone.deletion($0) })
    _ = try await store.round(&phone)
    async let purged = purge(after: 101, rowsAtOnce: 3)
    for number in UInt64(1_000)..<1_060 {
      let made = try await store.round(&tablet, [tablet.operation(number, "New")])
      #expect(made.isAllApplied)
    }
    #expect(try await purged.tombstones == 100)
    let again = try await store.round(&tablet, [tablet.operation(1, "Back")])
    guard case .rejected(.gone, _) = again.verdicts.first?.kind else {
      Issue.record("it was not refused: \(again.verdicts)")
      return
    }
    await store.close()
    #expect(try texts("SELECT count(*) FROM record") == [.integer(60)])
    #expect(try texts("PRAGMA integrity_check") == [.text("ok")])
  }
}

extension RecordKey {
  fileprivate var isConflict: Bool { table == ConflictEntry.table }
}

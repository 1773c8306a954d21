import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Testing

@Suite struct `requests that share a transaction` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Sends one operation of each of so many devices at once; gives the answers in their order.
  private func push(
    _ count: Int, from base: UInt64 = 0x100, to store: ServerSQLiteStore,
    _ operation: @escaping @Sendable (inout TestDevice, UInt64) -> CommuteCore.Operation = {
      $0.operation($1, "Book \($1)")
    }
  ) async throws -> [Result<SyncAnswer, any Error>] {
    try await withThrowingTaskGroup(of: (Int, Result<SyncAnswer, any Error>).self) { group in
      for index in 0..<count {
        group.addTask {
          var device = TestDevice(base + UInt64(index))
          do {
            let operation = operation(&device, UInt64(index + 1))
            return (index, .success(try await store.round(&device, [operation])))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      var results: [Int: Result<SyncAnswer, any Error>] = [:]
      for try await (index, result) in group { results[index] = result }
      return (0..<count).compactMap { results[$0] }
    }
  }

  @Test func `they need one commit together`() async throws {
    let gate = WriterGate(holdingAt: .before)
    let store = try await folder.openStore(settings: gate.settings)
    async let first = push(1, from: 0x800, to: store) { $0.operation($1 + 100, "First") }
    await gate.waitUntilHeld()
    async let others = push(20, to: store)
    await store.waitUntil(waiting: 20)
    gate.open()
    let answers = try await first + others
    #expect(try answers.allSatisfy { try $0.get().isAllApplied })
    #expect(gate.count(.committed) == 2)
    let numbers = try answers.map { try $0.get().verdicts.first?.revision?.number ?? 0 }
    #expect(numbers.sorted() == Array(1...21))
    await store.close()
  }

  @Test func `no answer leaves before its commit`() async throws {
    let gate = WriterGate(holdingAt: .inside)
    let store = try await folder.openStore(settings: gate.settings)
    async let answers = push(1, from: 0x800, to: store)
    await gate.waitUntilHeld()
    var reader = TestDevice(0xB)
    #expect(try await store.round(&reader).records.isEmpty)
    #expect(reader.cursors["books"] == 0)
    #expect(gate.count(.committed) == 0)
    gate.open()
    #expect(try await answers.first?.get().isAllApplied == true)
    #expect(try await store.round(&reader).records.count == 1)
    await store.close()
  }

  /// A record that a fault of the disk has made unreadable stops whoever writes to it.
  @Test func `one that fails leaves the others alone`() async throws {
    var store = try await folder.openStore()
    var phone = TestDevice()
    phone.cursors = ["films": nil]
    _ = try await store.round(&phone, [phone.operation(3, "Emma", feed: "films")])
    await store.close()
    try damage("UPDATE record SET state = '{\"id\":1}'")
    let gate = WriterGate(holdingAt: .before)
    store = try await folder.openStore(settings: gate.settings)
    async let first = push(1, from: 0x800, to: store) { $0.operation($1 + 100, "First") }
    await gate.waitUntilHeld()
    async let others = push(5, to: store)
    await store.waitUntil(waiting: 5)
    gate.open()
    let answers = try await first + others
    #expect(gate.count(.committed) == 2)
    for (index, answer) in answers.enumerated() {
      guard index == 3 else {
        #expect(try answer.get().isAllApplied)
        continue
      }
      #expect(throws: ServerStoreError.self) { try answer.get() }
    }
    await store.close()
    #expect(try folder.sql("SELECT count(*) FROM operation") == [.integer(6)])
    #expect(try folder.sql("SELECT revision FROM feed WHERE feed = 'books'") == [.integer(5)])
  }

  @Test func `what a failed request had written is undone`() async throws {
    var store = try await folder.openStore()
    var phone = TestDevice()
    _ = try await store.round(&phone, [phone.operation(1, "Emma"), phone.operation(2, "Emma")])
    await store.close()
    // The next number of the feed is taken, so the second record of the request breaks its index.
    try damage("UPDATE feed SET revision = 1")
    store = try await folder.openStore()
    var tablet = TestDevice(0xB)
    tablet.cursors["songs"] = .some(nil)
    let song = tablet.operation(3, "Song", feed: "songs")
    let request = try tablet.request([song, tablet.operation(4, "Persuasion")])
    let error = await #expect(throws: ServerStoreError.self) {
      try await store.answer(request, of: .local, time: TestDevice.time)
    }
    guard case .failed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await store.round(&tablet).records.map(\.key.id.low) == [1])
    await store.close()
    #expect(try folder.sql("SELECT count(*) FROM record") == [.integer(2)])
    #expect(try folder.sql("SELECT count(*) FROM operation") == [.integer(2)])
    #expect(try folder.sql("SELECT feed FROM feed") == [.text("books")])
    #expect(try folder.sql("SELECT request FROM device WHERE replica = 11") == [.integer(0)])
  }

  @Test func `what another request of the group changed is on the page`() async throws {
    let gate = WriterGate(holdingAt: .before)
    let store = try await folder.openStore(settings: gate.settings)
    async let first = push(1, from: 0x800, to: store) { $0.operation($1 + 100, "First") }
    await gate.waitUntilHeld()
    async let created = push(1, from: 0x100, to: store)
    await store.waitUntil(waiting: 1)
    async let edited = push(1, from: 0x200, to: store) {
      $0.operation($1, "lovely", in: "note", creates: false)
    }
    await store.waitUntil(waiting: 2)
    gate.open()
    _ = try await first
    let page = try await created[0].get()
    #expect(page.verdicts.first?.revision?.number == 2)
    let told = page.records.first { $0.key == TestDevice.book(1) }
    #expect(told?.state.revision?.number == 3)
    #expect(told?.text("note") == "lovely")
    #expect(try await edited[0].get().isAllApplied)
    await store.close()
  }

  @Test func `where one fills the disk, the others are written on their own`() async throws {
    let gate = WriterGate(holdingAt: .before)
    var settings = gate.settings
    settings.whenOpened = { (connection) throws(SQLiteError) in
      try connection.execute("PRAGMA max_page_count = 150")
    }
    let store = try await folder.openStore(settings: settings)
    async let first = push(1, from: 0x800, to: store) { $0.operation($1 + 100, "First") }
    await gate.waitUntilHeld()
    let long = String(repeating: "x", count: Limits.textBytes)
    async let large = push(1, from: 0x900, to: store) { device, _ in
      var operation = device.operation(200, long)
      let stamp = device.stamp()
      for name: Key in ["a", "b", "c", "d"] {
        operation.fields[name] = OperationField(value: .text(long), stamp: stamp)
      }
      return operation
    }
    await store.waitUntil(waiting: 1)
    async let others = push(3, to: store)
    await store.waitUntil(waiting: 4)
    gate.open()
    let refused = try await large
    #expect(throws: ServerStoreError.self) { try refused[0].get() }
    let answers = try await first + others
    #expect(try answers.allSatisfy { try $0.get().isAllApplied })
    await store.close()
    #expect(try folder.sql("PRAGMA integrity_check") == [.text("ok")])
  }

  private func damage(_ sql: String) throws {
    let connection = try Connection(.file(folder.file()), Configuration(.readWrite))
    try connection.execute(sql)
    connection.close()
  }

  @Test func `pulling does not wait for the writer`() async throws {
    let gate = WriterGate(holdingAt: .inside)
    let store = try await folder.openStore(settings: gate.settings)
    async let answers = push(1, from: 0x800, to: store)
    await gate.waitUntilHeld()
    var readers = (0..<8).map { TestDevice(UInt64(0x200 + $0)) }
    for index in readers.indices {
      #expect(try await store.round(&readers[index]).verdicts.isEmpty)
    }
    gate.open()
    _ = try await answers
    await store.close()
  }

  @Test func `more than the line takes is sent away`() async throws {
    let gate = WriterGate(holdingAt: .before)
    var settings = gate.settings
    settings.waitingLimit = 3
    let store = try await folder.openStore(settings: settings)
    async let first = push(1, from: 0x800, to: store)
    await gate.waitUntilHeld()
    async let others = push(3, to: store)
    await store.waitUntil(waiting: 3)
    var late = TestDevice(0xFF)
    let request = try late.request([late.operation(9, "Late")])
    await #expect(throws: ServerStoreError.overloaded) {
      try await store.answer(request, of: .local, time: TestDevice.time)
    }
    gate.open()
    #expect(try await (first + others).count == 4)
    await store.close()
  }
}

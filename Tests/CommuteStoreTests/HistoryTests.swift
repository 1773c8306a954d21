import CommuteCore
import CommuteSQLite
import Foundation
import StoreSupport
import Testing

@testable import CommuteStore

/// Random histories of two devices and a server; after every step, what lies in the file is what
/// the core says it should be, and at the end every device holds exactly what the server holds.
@Suite struct HistoryTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `whatever happens, files agree with the core, and devices with the server`(
    first: UInt64
  ) async throws {
    for seed in stride(from: first, to: first + 40, by: 4) {
      var history = try History(seed: seed)
      for step in 0..<50 { try await history.step(step) }
      try await history.settle()
    }
  }
}

private struct History {
  let seed: UInt64
  var random: StoreRandom
  let server = SmallServer()
  let folders: [TemporaryStore]
  var stores: [Store]
  /// Answers that were lost on the way, by device.
  var isRefusing = false

  init(seed: UInt64) throws {
    self.seed = seed
    random = StoreRandom(seed: seed)
    folders = [try TemporaryStore(), try TemporaryStore()]
    stores = []
    for (index, folder) in folders.enumerated() {
      stores.append(try folder.open { $0.randomSeed = seed &* 10 &+ UInt64(index) })
    }
  }

  private mutating func pick(_ count: Int) -> Int {
    Int(random.next() % UInt64(count))
  }

  mutating func step(_ step: Int) async throws {
    let device = pick(2)
    let id = id(UInt64(pick(5)))
    folders[device].time.advance(Int64(pick(50)))
    try await act(on: device, id)
    try await check(device, "seed \(seed), step \(step)")
  }

  private mutating func act(on device: Int, _ id: RecordID) async throws {
    let store = stores[device]
    let number = pick(100)
    switch pick(16) {
    case 0, 1:
      _ = try? await store.write { tx in
        try tx.insert(Book(id: id, title: "title \(number)", rating: number))
      }
    case 2, 3, 4:
      _ = try? await store.write { tx in
        try tx.update(Book.self, id) {
          if number % 2 == 0 { $0.rating = number % 7 } else { $0.title = "title \(number % 9)" }
        }
      }
    case 5: try await store.write { tx in try tx.delete(Book.self, id) }
    case 6: try await store.write { tx in try tx.withdrawDeletion(Book.self, id) }
    case 7:
      _ = try await store.write { tx in
        try tx.insertSeed(Book(id: id, title: "seed", author: "a\(number % 3)"))
      }
    case 8, 9: try await store.sync(with: server, batch: 1 + number % 4)
    case 10:
      // The request is lost, or its answer is.
      let round = try await store.beginRound(batch: 1 + number % 4)
      if number % 2 == 0 { _ = try server.answer(round.bytes, time: 1_700_000_000_000) }
      try await store.abandonRound()
    case 11:
      // Something is written while a round is under way.
      let round = try await store.beginRound(batch: 5)
      _ = try? await store.write { tx in
        try tx.update(Book.self, id) { $0.author = "author \(number)" }
      }
      let bytes = try server.answer(round.bytes, time: 1_700_000_000_000)
      _ = try await store.apply(SyncAnswer(decoding: bytes), roundTrip: 5)
    case 12:
      server.put(
        number % 3 == 0 ? "shop" : "book", id, feed: "books",
        ["title": .text("server \(number)"), "isbn": .text("\(number)"), "rating": .text("odd")],
        deleted: number % 9 == 0, time: 1_700_000_000_000 + Int64(number))
    case 13:
      isRefusing.toggle()
      server.refuse(isRefusing ? "no" : nil)
    case 14:
      await store.close()
      stores[device] = try folders[device].open { $0.randomSeed = random.next() }
    default:
      struct Regret: Error {}
      _ = try? await store.write { tx in
        try tx.delete(Book.self, id)
        try tx.insert(Book(title: "never"))
        throw Regret()
      }
    }
  }

  /// Compares the file with what the core makes of base and outbox.
  private func check(_ device: Int, _ place: String) async throws {
    let problems = try await stores[device].perform { core throws(StoreError) in
      try core.inconsistencies()
    }
    #expect(problems == [], "\(place)")
  }

  /// Lets everything be said, and compares the devices with the server.
  mutating func settle() async throws {
    server.refuse(nil)
    for _ in 0..<3 {
      for (folder, store) in zip(folders, stores) {
        folder.time.advance(3_600_000)
        try await store.syncAll(with: server)
      }
    }
    let held = server.records.filter { $0.key.table != ConflictEntry.table }
    for store in stores {
      let states = try await store.perform { core throws(StoreError) in try core.states() }
      #expect(states == held.mapValues(\.state), "seed \(seed)")
      let counts = try await store.counts()
      #expect(counts.waiting == 0, "seed \(seed)")
      await store.close()
    }
  }
}

extension WriterCore {
  /// Every record whose id is a test's, as the file holds it.
  private func loaded() throws(StoreError) -> [LoadedRecord] {
    var all: [LoadedRecord] = []
    for number in 0..<5 {
      all.append(try load(id(UInt64(number)), in: shapes.all[0], feed: "books"))
      let shop = RecordKey(table: "shop", id: id(UInt64(number)))
      all.append(try loadUnknown(shop, feed: "books"))
    }
    return all
  }

  /// The records by key, without those of which nothing is known.
  func states() throws(StoreError) -> [RecordKey: RecordState] {
    var states: [RecordKey: RecordState] = [:]
    for loaded in try loaded() { states[loaded.record.key] = loaded.record.base }
    return states
  }

  /// What of the file is not as base and outbox say.
  func inconsistencies() throws(StoreError) -> [String] {
    var problems: [String] = []
    for loaded in try loaded() {
      let record = loaded.record
      let name = "\(record.key.table.text) \(record.key.id.text)"
      let shown = try shown(record.key)
      if shown != record.view { problems.append("\(name) shows \(String(describing: shown))") }
      let hasBase = try base(of: record.key) != nil
      if hasBase != (record.base != nil && !record.rows.isEmpty) {
        problems.append("\(name) has a base: \(hasBase)")
      }
      for row in record.rows.dropFirst() where row.isInFlight {
        problems.append("\(name) has a second row in flight")
      }
      for row in record.rows where row.isInFlight == row.bytes.isEmpty {
        problems.append("\(name) has bytes: \(row.bytes.count)")
      }
    }
    let clock = state.device.clock.last
    let known = try connection.first("SELECT max(clock) FROM c_outbox") {
      (row) throws(StoreError) in UInt64(stored: row.int64(0))
    }
    if clock < known ?? 0 { problems.append("the clock is behind the outbox") }
    let misplaced: SQL = """
      SELECT 1 FROM c_base WHERE (tbl, id) IN (SELECT tbl, id FROM c_outbox)
      UNION ALL SELECT 1 FROM c_outbox WHERE told IS NOT NULL
        AND position NOT IN (SELECT min(position) FROM c_outbox GROUP BY tbl, id)
      """
    if try hasRows(misplaced) { problems.append("a base stands where it is not looked for") }
    return problems
  }

  /// What a query of the table, or a look at the tombstones, would find.
  private func shown(_ key: RecordKey) throws(StoreError) -> RecordState? {
    if key.table != shapes.all[0].key { return try unknown(key)?.state }
    let row = try connection.first(
      "SELECT \(SQL(raw: shapes.all[0].selection)) FROM book WHERE id = \(key.id)"
    ) { (row) throws(StoreError) in
      try HiddenState.unpack(
        row, shape: shapes.all[0], names: names, user: state.device.account.user)
    }
    if let row { return row }
    return try tombstone(key)?.state
  }
}

extension SQL {
  /// A text of the test's own.
  fileprivate init(raw text: String) {
    self = ""
    for name in text.split(separator: ", ") {
      if self.text != "" { self += ", " }
      self += "\(name: String(name.replacing("\"", with: "")))"
    }
  }
}

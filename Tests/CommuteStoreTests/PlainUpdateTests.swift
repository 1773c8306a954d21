import CommuteCore
import CommuteSQLite
import CommuteTestKit
import Foundation
import StoreSupport
import Testing

@testable import CommuteStore

/// Updates that are written straight from the row and from memory, against what the general way
/// decides about the same record.
@Suite struct PlainUpdateTests {
  let folder: TemporaryStore
  let store: Store
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open([Item.table])
  }

  /// What is kept of a record, and what the general way would have kept.
  private struct Outcome: Sendable {
    var isPlain: Bool
    var names: [[String]]
    var record: DeviceRecord
    var wanted: DeviceRecord
    var hidden: [UInt8]?
    var wantedHidden: [UInt8]
    var fields: [UInt8]?
    var wantedFields: [UInt8]
    var base: [UInt8]?
    var wantedBase: [UInt8]
  }

  /// Items that this device and another one have changed and that the server has told since.
  private func told(_ count: UInt64, _ dice: inout SeededGenerator) async throws {
    let items = (1...count).map { Item.drawn($0, from: &dice) }
    try await store.write { tx in
      for item in items { try tx.insert(item) }
    }
    try await store.syncAll(with: server)
    let elsewhere = try TemporaryStore()
    let other = try elsewhere.open([Item.table]) { $0.randomSeed = 9 }
    try await other.subscribe(to: "shop")
    try await other.syncAll(with: server)
    let edits = (1...count).filter { $0 % 3 != 0 }.map { Item.drawn($0, from: &dice) }
    folder.time.advance(5_000)
    elsewhere.time.advance(5_000)
    try await other.write { tx in
      for edit in edits { try tx.update(edit) }
    }
    try await other.syncAll(with: server, time: 1_700_000_005_000)
    await other.close()
    try await store.syncAll(with: server, time: 1_700_000_005_000)
  }

  private static func update(
    to item: Item, in tx: borrowing WriteTransaction
  ) throws -> Outcome {
    let core = tx.core
    let shape = try core.shapes.shape(of: ObjectIdentifier(Item.self))
    let isPlain = try core.loadPlain(item.id, in: shape) { _ in } != nil
    var wanted = try core.load(item.id, in: shape).record
    let before = try tx.fetch(Item.self, item.id) ?? Item()
    var context = core.context
    let values = try Item.table.values(of: item, mask: Item.table.difference(before, item))
    let changed = try wanted.change(
      values, operation: OperationID(high: 1, low: 1), context: &context)
    let names = try tx.update(item)
    let record = try core.load(item.id, in: shape).record
    var packer = Packer()
    let user = core.state.device.account.user
    HiddenState.pack(
      wanted.view ?? RecordState(), shape: shape, names: &core.names, user: user, into: &packer)
    return Outcome(
      isPlain: isPlain, names: [names, changed.map(\.text)], record: record, wanted: wanted,
      hidden: try bytes("SELECT _commute FROM item WHERE id = \(item.id)", core),
      wantedHidden: packer.bytes,
      fields: try bytes("SELECT fields FROM c_outbox WHERE id = \(item.id)", core),
      wantedFields: PackedChange.pack(
        wanted.rows.first?.operation.fields ?? FieldMap(), names: &core.names),
      base: try bytes("SELECT told FROM c_outbox WHERE id = \(item.id)", core),
      wantedBase: PackedState.pack(wanted.base ?? RecordState(), names: &core.names))
  }

  private static func bytes(_ sql: SQL, _ core: WriterCore) throws -> [UInt8]? {
    let rows = try core.connection.all(sql) { (row) throws(SQLiteError) in row.bytes(0) }
    return rows.first
  }

  @Test(arguments: 1...8) func `an update straight from the row writes what is decided`(
    seed: UInt64
  ) async throws {
    var dice = SeededGenerator(seed: seed)
    let count: UInt64 = 30
    try await told(count, &dice)
    var written = 0
    for number in 1...count {
      let item = Item.drawn(number, from: &dice)
      let outcome = try await store.write { tx in try Self.update(to: item, in: tx) }
      #expect(outcome.isPlain)
      #expect(outcome.names[0] == outcome.names[1])
      var record = outcome.record
      if record.rows.isEmpty {
        #expect(outcome.names[0] == [])
        #expect(record == outcome.wanted)
        continue
      }
      written += 1
      #expect(record.rows.count == 1)
      record.rows[0].operation.id = OperationID(high: 1, low: 1)
      record.rows[0].order = 0
      #expect(record == outcome.wanted)
      #expect(outcome.hidden == outcome.wantedHidden)
      #expect(outcome.fields == outcome.wantedFields)
      #expect(outcome.base == outcome.wantedBase)
      let stored = try await store.read { tx in try tx.fetch(Item.self, id(number)) }
      #expect(stored == item)
    }
    #expect(written > 20)
    // All of it reaches the server, and comes back as it is.
    try await store.syncAll(with: server, time: 1_700_000_005_000)
    let counts = try await store.counts()
    #expect(counts == StoreCounts())
    #expect(try folder.bases().count == 0)
  }

  @Test func `a record that changes while it is being changed is decided about anew`() async throws
  {
    var dice = SeededGenerator(seed: 1)
    try await told(3, &dice)
    try await store.write { tx in
      try tx.update(Item.self, id(1)) { item in
        try tx.update(Item.self, id(1)) { $0.price = 77 }
        item.name = "inner and outer"
      }
    }
    let item = try await store.read { tx in try tx.fetch(Item.self, id(1)) }
    #expect(item?.price == 77)
    #expect(item?.name == "inner and outer")
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(1))
  }

  @Test func `what the closure throws leaves nothing behind`() async throws {
    struct Refused: Error {}
    var dice = SeededGenerator(seed: 2)
    try await told(3, &dice)
    let before = try folder.rows("SELECT * FROM item")
    try await store.write { tx in
      #expect(throws: Refused.self) {
        try tx.update(Item.self, id(1)) { item in
          item.price = 99
          throw Refused()
        }
      }
    }
    #expect(try folder.rows("SELECT * FROM item") == before)
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(0))
  }

  @Test func `a value that cannot be kept is named, and nothing is written`() async throws {
    var dice = SeededGenerator(seed: 3)
    try await told(3, &dice)
    await #expect(
      throws: StoreError.value(table: "item", column: "name", problem: .containsNUL)
    ) {
      try await store.write { tx in try tx.update(Item.self, id(1)) { $0.name = "a\0b" } }
    }
    await #expect(
      throws: StoreError.value(table: "item", column: "weight", problem: .notFinite)
    ) {
      try await store.write { tx in try tx.update(Item.self, id(1)) { $0.weight = .infinity } }
    }
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(0))
  }
}

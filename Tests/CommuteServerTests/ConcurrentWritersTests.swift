import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Synchronization
import Testing

@Suite struct `readers among writers` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Whether the writers are done.
  private final class Over: Sendable {
    let flag = Atomic(false)
  }

  private static let writers: UInt64 = 6
  private static let rounds: UInt64 = 25

  /// Creates books of its own and edits books of the others.
  private static func write(_ writer: UInt64, to store: ServerSQLiteStore) async throws {
    var device = TestDevice(0x100 + writer, name: "writer \(writer)")
    device.cursors["films"] = .some(nil)
    for round in 0..<rounds {
      let feed: Key = round % 5 == 4 ? "films" : "books"
      let own = device.operation(writer * 1_000 + round, "Book \(round)", feed: feed)
      var operations = [own]
      if round > 0, (round - 1) % 5 != 4 {
        let other = (writer + 1) % writers * 1_000 + round - 1
        operations.append(
          device.operation(other, "note \(writer) \(round)", in: "note", creates: false))
      }
      let answer = try await store.round(&device, operations, limit: pages)
      #expect(answer.verdicts.count == operations.count)
    }
  }

  private static let pages = SyncRequest.Limit(bytes: 3_000, records: 7)

  /// Pulls until the writers are done and nothing is left, and keeps the last of each record.
  private static func read(
    _ reader: UInt64, from store: ServerSQLiteStore, until over: Over
  ) async throws -> [RecordKey: Revision] {
    var device = TestDevice(0x200 + reader)
    device.cursors["films"] = .some(nil)
    var held: [RecordKey: Revision] = [:]
    while true {
      let wasOver = over.flag.load(ordering: .acquiring)
      let before = device.cursors
      let answer = try await store.round(&device, limit: pages)
      for feed in answer.feeds {
        let numbers = feed.records.compactMap { $0.state.revision?.number }
        let after = (before[feed.feed] ?? nil) ?? 0
        #expect(zip([after] + numbers, numbers).allSatisfy { $0 < $1 })
        #expect((feed.cursor ?? 0) >= (numbers.last ?? after))
        if feed.more { #expect(feed.cursor == numbers.last ?? after) }
      }
      for record in answer.records { held[record.key] = record.state.revision }
      if wasOver, !answer.feeds.contains(where: \.more) { return held }
    }
  }

  @Test func `every reader ends with every record at its last revision`() async throws {
    let store = try await folder.openStore()
    let over = Over()
    let held = try await withThrowingTaskGroup(of: [RecordKey: Revision].self) { group in
      for reader in 0..<4 as Range<UInt64> {
        group.addTask {
          try await Self.read(reader, from: store, until: over)
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { writers in
        for writer in 0..<Self.writers {
          writers.addTask { try await Self.write(writer, to: store) }
        }
        try await writers.waitForAll()
      }
      over.flag.store(true, ordering: .releasing)
      return try await group.reduce(into: []) { $0.append($1) }
    }
    await store.close()
    let stored = try folder.sql("SELECT count(*) FROM record")
    #expect(stored == [.integer(Int64(Self.writers * Self.rounds))])
    #expect(held.count == 4)
    for one in held { #expect(one == held[0]) }
    #expect(held[0].count == Int(Self.writers * Self.rounds))
    let numbers = held[0].values.map { Int64($0.number) }.sorted()
    let revisions = try folder.sql("SELECT revision FROM record ORDER BY revision")
    #expect(revisions == numbers.map { .integer($0) })
    try checkInvariants()
  }

  /// What must hold in the file, asked in SQL over a second connection.
  private func checkInvariants() throws {
    let broken: [String: String] = [
      "a feed's head is the number of its latest record":
        """
      SELECT f.feed FROM feed AS f WHERE f.revision IS NOT
      (SELECT max(revision) FROM record AS r WHERE r.tenant = f.tenant AND r.feed = f.feed)
      """,
      "every record is in a feed that has a head":
        "SELECT 1 FROM record WHERE (tenant, feed) NOT IN (SELECT tenant, feed FROM feed)",
      "a number stands once in its feed":
        "SELECT 1 FROM record GROUP BY tenant, feed, revision HAVING count(*) > 1",
      "the JSON says what the columns say":
        """
      SELECT 1 FROM record WHERE NOT json_valid(state)
      OR state ->> '$.revision[1]' IS NOT revision OR state ->> '$.author' IS NOT author
      OR state ->> '$.table' IS NOT tbl
      OR lower(hex(id)) IS NOT replace(state ->> '$.id', '-', '')
      OR (state ->> '$.deleted' IS NULL) IS NOT (deleted IS NULL)
      """,
      "every applied operation left a number":
        "SELECT 1 FROM operation WHERE revision IS NULL OR length(hash) <> 32 OR length(id) <> 16",
      "every operation is of a device":
        """
      SELECT 1 FROM operation
      WHERE (tenant, replica) NOT IN (SELECT tenant, replica FROM device)
      """,
      "no cursor is beyond its feed":
        """
      SELECT 1 FROM device_cursor AS c JOIN feed AS f USING (tenant, feed)
      WHERE c.cursor > f.revision
      """,
      "the file is sound": "SELECT 1 FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    ]
    for (rule, sql) in broken {
      let rows = try folder.sql(sql)
      #expect(rows.isEmpty, "\(rule)")
    }
  }
}

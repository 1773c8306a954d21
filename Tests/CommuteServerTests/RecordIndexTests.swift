import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Foundation
import Testing

@Suite struct `what the server looks up by more than an id` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func count(_ sql: String) throws -> Int64 {
    guard case .integer(let count)? = try folder.sql("SELECT count(*) FROM \(sql)").first else {
      return -1
    }
    return count
  }

  @Test func `more children than a request treats follow while nobody asks`() async throws {
    let store = try await folder.openStore(rules: Family.rules())
    var phone = TestDevice()
    let total = UInt64(Settlement.childLimit) + 30
    _ = try await store.round(&phone, [phone.record("list", 1, ["title": .text("a")])])
    let items = (0..<total).map {
      phone.record("item", $0 + 10, ["list": Family.naming(1), "title": .text("t\($0)")])
    }
    #expect(try await store.round(&phone, items).isAllApplied)
    #expect(try count("child") == Int64(total))
    #expect(try count("unique_key") == Int64(total))
    _ = try await store.round(&phone, [phone.record("list", 1, creates: false, deletes: true)])
    // Closing waits for the writer; what it had no time for is open in the file.
    await store.close()
    let left = try count("child")
    #expect(left <= 30)
    #expect(try count("open_deletion") <= 1)
    let again = try await folder.openStore(rules: Family.rules())
    _ = try await again.round(&phone, [phone.record("list", 2, ["title": .text("b")])])
    await again.close()
    #expect(try count("child") == 0)
    #expect(try count("unique_key") == 0)
    #expect(try count("open_deletion") == 0)
    #expect(try count("record WHERE tbl = 'item' AND deleted IS NOT NULL") == Int64(total))
    // Each has a number of its own, and the feed's is the last of them.
    let head = try folder.sql("SELECT revision FROM feed WHERE feed = 'books'")
    #expect(head == [.integer(Int64(2 * total + 3))])
  }

  @Test func `a file of schema 2 is raised and its records are looked up`() async throws {
    let fixture = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/server-2.sql")
    let connection = try Connection(.file(folder.file()), Configuration(.create))
    try connection.execute(try String(contentsOf: fixture, encoding: .utf8))
    connection.close()
    let store = try await folder.openStore(rules: Family.rules())
    #expect(try folder.sql("PRAGMA user_version") == [.integer(3)])
    #expect(try folder.sql("SELECT schema FROM meta") == [.integer(3)])
    #expect(try count("child") == 3)
    #expect(try count("unique_key") == 3)
    var phone = TestDevice(0xD)
    let answer = try await store.round(
      &phone,
      [
        phone.record("item", 6, ["title": .text("Emma")]),
        phone.record("item", 7, ["title": .text("Dracula")]),
        phone.record("list", 1, creates: false, deletes: true),
      ])
    #expect(answer.verdicts.map { $0.kind == .applied } == [false, true, true])
    await store.close()
    let told = answer.records.first { $0.key.id == TestDevice.book(3).id }
    #expect(told?.state.deleted != nil)
    #expect(told?.state.author == "local")
    #expect(try count("record WHERE tbl = 'item' AND deleted IS NOT NULL") == 3)
    #expect(try count("child") == 1)
    // Without declarations nothing is looked up; with others it is filled anew.
    await (try await folder.openStore()).close()
    #expect(try count("child") == 0)
    await (try await folder.openStore(rules: Family.rules())).close()
    #expect(try count("child") == 1)
    #expect(try count("unique_key") == 2)
  }
}

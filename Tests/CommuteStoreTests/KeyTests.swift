import CKeyStandIn
import CommuteCore
import CommuteStore
import Foundation
import Synchronization
import Testing

/// The key of an encrypted database, with a stand-in for SQLCipher that writes down what it hears.
@Suite struct KeyTests {
  let folder: TemporaryStore

  init() throws {
    folder = try TemporaryStore()
    #expect(key_stand_in_install() == 0)
  }

  private struct Locked: Error, CustomStringConvertible {
    var description: String { "the keychain is locked" }
  }

  /// The statements of each connection, in order.
  private func statements() throws -> [[String]] {
    let log = try #require(key_stand_in_log(folder.path))
    defer { free(log) }
    var found: [String: [String]] = [:]
    var last = ""
    for line in String(cString: log).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      // A statement of several lines goes on without a number.
      if parts.count == 2, UInt(parts[0]) != nil {
        last = parts[0]
        found[last, default: []].append(parts[1])
      }
    }
    return Array(found.values)
  }

  @Test func `every connection gets the key before anything else`() async throws {
    #expect(key_stand_in_watch(folder.path) == 0)
    let asked = Mutex(0)
    let key: @Sendable () -> StoreKey = {
      asked.withLock { $0 += 1 }
      return .passphrase("it's secret")
    }
    let store = try folder.open { $0.key = key }
    try await store.write { tx in try tx.insert(Book(id: id(1), title: "Momo")) }
    _ = try await store.read { tx in try tx.count(Book.all) }
    var seen = store.values(Book.all).makeAsyncIterator()
    _ = try await seen.next()
    try await store.backup(toFile: "\(folder.path)/copy.db")
    await store.suspend()
    try await store.resume()
    await store.close()
    let reader = try folder.open {
      $0.key = key
      $0.isReadOnly = true
    }
    await reader.close()
    var options = folder.options()
    options.key = key
    _ = try DeviceAccounts(folder.device, options: options).files()
    _ = try Store.recover(folder.device, tables: [Book.table], options: options)
    let connections = try statements()
    #expect(connections.count >= 9)
    #expect(connections.count == asked.withLock { $0 })
    for statements in connections {
      #expect(statements.first == "PRAGMA key = 'it''s secret'", "\(statements.prefix(3))")
      #expect(statements.dropFirst().allSatisfy { !$0.contains("secret") })
    }
  }

  @Test func `a key of bytes is handed over as it is`() async throws {
    #expect(key_stand_in_watch(folder.path) == 0)
    let store = try folder.open { $0.key = { .bytes([0x0F, 0xA0]) } }
    await store.close()
    #expect(try statements().first?.first == "PRAGMA key = \"x'0fa0'\"")
  }

  @Test func `a SQLite that does not encrypt is no place for a secret`() throws {
    let error = #expect(throws: StoreError.self) {
      try folder.open { $0.key = { .passphrase("secret") } }
    }
    #expect(error?.message.contains("link SQLCipher 4.5 or newer") == true)
    #expect(error?.message.contains("secret") == false)
    // Nothing was written that could be read.
    let file = "\(folder.device)/commute.db"
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
    #expect(size?.intValue == 0)
  }

  @Test func `a key that cannot be had says so, and is in no description`() throws {
    let error = #expect(throws: StoreError.self) { try folder.open { $0.key = { throw Locked() } } }
    #expect(error?.message.contains("its key cannot be had: the keychain is locked") == true)
    let key = StoreKey.passphrase("hidden")
    #expect(!"\(key) \(String(reflecting: key))".contains("hidden"))
    var text = ""
    dump(key, to: &text)
    #expect(!text.contains("hidden"))
  }
}

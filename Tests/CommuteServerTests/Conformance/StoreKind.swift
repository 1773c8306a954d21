import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteTestKit
import Testing

/// The implementations of the store that the suite runs on; another one is a case more.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case memory
  case sqlite

  var testDescription: String { rawValue }

  /// Runs the body on a fresh store.
  func withStore<Result>(
    rules: ServerRules = ServerRules(), _ body: (any ServerStore) async throws -> Result
  ) async throws -> Result {
    switch self {
    case .memory:
      return try await body(MemoryStore(rules: rules))
    case .sqlite:
      let folder = try TemporaryFolder()
      let store = try await folder.openStore(rules: rules)
      do {
        let result = try await body(store)
        await store.close()
        return result
      } catch {
        await store.close()
        throw error
      }
    }
  }
}

extension TemporaryFolder {
  /// Opens the store of this folder with ids that are the same in every run.
  func openStore(
    rules: ServerRules = ServerRules(),
    settings: ServerSQLiteSettings = ServerSQLiteSettings(), seed: UInt64 = 1
  ) async throws -> ServerSQLiteStore {
    try await ServerSQLiteStore.open(
      file(), rules: rules, settings: settings, time: TestDevice.time,
      generator: SeededGenerator(seed: seed))
  }
}

extension ServerStore {
  /// One round of a device: the answer passes through bytes, and the device takes its cursors.
  func round(
    _ device: inout TestDevice, _ operations: [CommuteCore.Operation] = [],
    limit: SyncRequest.Limit = SyncRequest.Limit(), time: Int64 = TestDevice.time
  ) async throws -> SyncAnswer {
    let request = try device.request(operations, limit: limit)
    let answer = try await send(request, of: device, time: time)
    device.apply(answer)
    return answer
  }

  /// Sends a request that was made before.
  func send(
    _ request: SyncRequest, of device: TestDevice, time: Int64 = TestDevice.time
  ) async throws -> SyncAnswer {
    let answer = try await answer(request, of: device.account, time: time)
    return try SyncAnswer(decoding: answer.encoded())
  }

  /// Reads a device's feeds to their end.
  func readAll(
    _ device: inout TestDevice, limit: SyncRequest.Limit = SyncRequest.Limit()
  ) async throws -> [RecordMessage] {
    var records: [RecordMessage] = []
    while true {
      let answer = try await round(&device, limit: limit)
      records += answer.records
      if !answer.feeds.contains(where: \.more) { return records }
    }
  }
}

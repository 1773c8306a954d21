import CommuteCore
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite
import CommuteSQLite
import Testing

@Suite struct `the life of a server` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a port in use is one clear line`() async throws {
    try await withServer(in: folder) { server in
      var settings = ServerSettings()
      settings.http.port = server.address.port
      let second = try Server(store: MemoryStore(), settings: settings)
      let error = await #expect(throws: ServerError.self) { try await second.start() }
      #expect(error?.description.contains("port \(server.address.port)") == true)
      #expect(error?.description.contains("\n") == false)
      await second.drain()
    }
  }

  @Test func `a store that does not answer keeps the server from starting`() async throws {
    let store = MemoryStore()
    await store.close()
    let server = try Server(store: store, settings: ServerSettings())
    await #expect(throws: ServerError.store(.closed)) { try await server.start() }
  }

  @Test func `draining lets a running request finish, and takes no other`() async throws {
    let gate = WriterGate(holdingAt: .inside)
    let store = try await folder.openStore(settings: gate.settings)
    try await withServer(on: store) { server in
      async let answer = push(to: server)
      await gate.waitUntilHeld()
      async let drained: Void = server.server.drain()
      // Once the port is closed the server is draining, and the request is still under way.
      while await isHealthy(server) { await Task.yield() }
      gate.open()
      let isApplied = try await answer.isAllApplied
      #expect(isApplied)
      await drained
    }
    #expect(try folder.sql("SELECT count(*) FROM record") == [.integer(1)])
    await (try await folder.openStore()).close()
  }

  private func push(to server: TestServer) async throws -> SyncAnswer {
    var phone = TestDevice()
    return try await server.round(&phone, [phone.operation(1, "Emma")])
  }

  private func isHealthy(_ server: TestServer) async -> Bool {
    let response = try? await server.send(.get, "/health")
    return response?.status == 200
  }

  @Test func `what is too much at once is asked to come back`() async throws {
    let gate = WriterGate(holdingAt: .inside)
    let store = try await folder.openStore(settings: gate.settings)
    var settings = ServerSettings()
    settings.limits.roundsAtOnce = 1
    settings.limits.retryAfter = .seconds(7)
    try await withServer(on: store, settings: settings) { server in
      async let answer = push(to: server)
      await gate.waitUntilHeld()
      var tablet = TestDevice(0xB)
      let refused = try await server.post(try tablet.request().encoded())
      #expect(refused.status == 503)
      #expect(refused.headers["Retry-After"] == "7")
      #expect(try Refusal(refused).error == "overloaded")
      gate.open()
      let isApplied = try await answer.isAllApplied
      #expect(isApplied)
      #expect(try await server.round(&tablet).records.count == 1)
    }
  }

  @Test func `a store that fails is told apart from a request that fails`() async throws {
    for (error, status, word) in [
      (ServerStoreError.unavailable(reason: "the disk is full"), 503, "unavailable"),
      (.failed(reason: "a record is broken"), 500, "failed"),
      (.closed, 503, "unavailable"),
    ] {
      try await withServer(on: FailingStore(error: error)) { server in
        var phone = TestDevice()
        let response = try await server.post(try phone.request().encoded())
        #expect(response.status == status)
        #expect(try Refusal(response).error == word)
        #expect(!response.text.contains("disk"))
        #expect(server.lines.complaints.count == 1)
      }
    }
  }
}

/// A store that knows who it is and nothing else.
private struct FailingStore: ServerStore {
  let error: ServerStoreError

  func identity() async throws(ServerStoreError) -> ServerIdentity {
    ServerIdentity(server: 1, epoch: Epoch(rawValue: 1))
  }

  func answer(
    _ request: SyncRequest, of account: Account, time: Int64
  ) async throws(ServerStoreError) -> SyncAnswer { throw error }

  func setAccess(
    _ access: FeedAccess, of account: Account, to feed: Key
  ) async throws(ServerStoreError) { throw error }

  func close() async {}
}

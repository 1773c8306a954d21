import CommuteCore
import CommuteSQLite
import CommuteServer
import CommuteServerSQLite

/// The lie `lost-answer`: a server's store that forgets every third answer that it gave.
final class ForgetfulStore: ServerStore {
  private let store: ServerSQLiteStore
  private let file: String

  init(_ store: ServerSQLiteStore, file: String) {
    self.store = store
    self.file = file
  }

  func identity() async throws(ServerStoreError) -> ServerIdentity {
    try await store.identity()
  }

  func answer(
    _ request: SyncRequest, of account: Account, time: Int64
  ) async throws(ServerStoreError) -> SyncAnswer {
    let answer = try await store.answer(request, of: account, time: time)
    if request.number % 3 == 0 { try? forget(request) }
    return answer
  }

  func setAccess(
    _ access: FeedAccess, of account: Account, to feed: Key
  ) async throws(ServerStoreError) {
    try await store.setAccess(access, of: account, to: feed)
  }

  func close() async {
    await store.close()
  }

  private func forget(_ request: SyncRequest) throws(SQLiteError) {
    let connection = try Connection(.file(file), Configuration(.readWrite))
    defer { connection.close() }
    for sent in request.operations {
      try connection.run("DELETE FROM operation WHERE id = \(sent.operation.id.bytes)")
    }
  }
}

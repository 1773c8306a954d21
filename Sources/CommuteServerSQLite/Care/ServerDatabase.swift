import CommuteSQLite

/// A server's database file, for what is done to it beside serving: backup, restore, purge.
///
/// ```swift
/// let database = ServerDatabase("library.sqlite")
/// try await database.backup(to: "monday.backup")
/// try await database.purge()
/// ```
/// Backups and purges may be made while a process serves the file, also another one.
public struct ServerDatabase: Sendable {
  /// Where it is.
  public let path: String
  /// Called on the working thread at each point of a restore or purge: for tests that end it there.
  package var hook: (@Sendable (CarePoint) -> Void)?

  /// Names a database; nothing is opened.
  public init(_ path: String) {
    self.path = path
  }

  /// Runs work that blocks on a thread of its own.
  static func onThread<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () throws(ServerDatabaseError) -> Value
  ) async throws(ServerDatabaseError) -> Value {
    let result: Result<Value, ServerDatabaseError> = await withCheckedContinuation { continuation in
      DatabaseThread.start(name) {
        do throws(ServerDatabaseError) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  /// Runs what only SQLite can fail.
  static func wrap<Value>(
    _ body: () throws(SQLiteError) -> Value
  ) throws(ServerDatabaseError) -> Value {
    do throws(SQLiteError) { return try body() } catch { throw ServerDatabaseError(error) }
  }

  func pass(_ point: CarePoint) {
    hook?(point)
  }
}

/// A moment in the life of a restore or purge, for tests that end the process there.
package enum CarePoint: String, Hashable, Sendable, CaseIterable {
  /// A part of a purge is written, nothing is committed.
  case purging
  /// A part of a purge is committed.
  case purged
  /// The backup is copied, nothing is changed in it.
  case copied
  /// The copy begins a new history, the file that is served is as it was.
  case prepared
  /// What was served has no side files any more.
  case settled
  /// What was served has a second name.
  case kept
  /// The copy stands in its place.
  case replaced
}

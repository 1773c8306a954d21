public import CommuteSQLite
import Foundation
import Synchronization

/// Copies of a store while it is in use.
///
/// A copy is one file that its owner can read. It can be put in the place of the `commute.db` of a
/// device and writes under an identity of its own from then on, so that no edit is taken for
/// another's. Copying takes one of the threads that read, and the log grows meanwhile.
extension Store {
  /// Copies the store, as it is at this moment, into a new file; reads and writes go on.
  ///
  /// - Parameters:
  ///   - path: A file that is not there yet.
  ///   - progress: Told after every megabyte, on a thread of the store's.
  /// - Throws: ``StoreError/unreadable(path:reason:)`` where there is a file of this name,
  ///   ``StoreError/diskFull``, `CancellationError` where the task was cancelled; no file is left.
  public func backup(
    toFile path: String, progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws {
    let isCancelled = CancelFlag()
    try await withTaskCancellationHandler {
      try await copy(toFile: path, isCancelled) { connection, copy throws(SQLiteError) in
        try connection.backup(to: copy, pagesPerStep: 256) { (state) throws(SQLiteError) in
          if isCancelled.isSet.load(ordering: .relaxed) { throw .interrupted }
          progress(state)
        }
      }
    } onCancel: {
      isCancelled.isSet.store(true, ordering: .relaxed)
    }
  }

  /// Writes a copy without free space in it into a new file; reads and writes go on.
  ///
  /// It is smaller than a ``backup(toFile:progress:)`` and takes longer.
  ///
  /// - Throws: What ``backup(toFile:progress:)`` throws.
  public func vacuum(into path: String) async throws {
    try await copy(toFile: path, CancelFlag()) { connection, copy throws(SQLiteError) in
      copy.close()
      try? FileManager.default.removeItem(atPath: path)
      try connection.vacuum(into: path)
    }
  }

  private func copy(
    toFile path: String, _ isCancelled: CancelFlag,
    _ body: @escaping @Sendable (Connection, Connection) throws(SQLiteError) -> Void
  ) async throws {
    let place = DatabasePlace(location: .file(path), key: options.key)
    try await withCheckedThrowingContinuation { (continuation: Copying) in
      readers.add { session in
        continuation.resume(
          with: Result {
            let connection = try session.get().connection
            do throws(StoreError) {
              try place.copy(connection, by: body)
            } catch {
              if isCancelled.isSet.load(ordering: .relaxed) { throw CancellationError() }
              throw error
            }
          })
      }
    }
  }

  private typealias Copying = CheckedContinuation<Void, any Error>
}

/// Whether the task that waits for a copy was cancelled.
private final class CancelFlag: Sendable {
  let isSet = Atomic(false)
}

extension DatabasePlace {
  /// Makes a copy here, which gets an identity of its own when it is opened as a store.
  fileprivate func copy(
    _ connection: Connection,
    by body: (Connection, Connection) throws(SQLiteError) -> Void
  ) throws(StoreError) {
    let path = location.path
    guard PrivateFolder.size(of: path) == nil else {
      throw .unreadable(path: path, reason: "there is a file of this name already")
    }
    do throws(StoreError) {
      let copy = try connect(configuration(.create))
      defer { copy.close() }
      try speaking { () throws(SQLiteError) in try body(connection, copy) }
      copy.close()
      let finished = try connect(configuration(.readWrite))
      defer { finished.close() }
      // As after an unclean end on another machine: whoever opens it takes a new identity.
      try speaking { () throws(SQLiteError) in
        try finished.execute("UPDATE c_meta SET boot = '', clean_end = 0")
      }
    } catch {
      for suffix in ["", "-journal", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
      throw error
    }
  }

  private func configuration(_ mode: Configuration.Mode) -> Configuration {
    var configuration = Configuration(mode)
    configuration.journal = mode == .create ? .unchanged : .rollback
    configuration.synchronous = .full
    return configuration
  }
}

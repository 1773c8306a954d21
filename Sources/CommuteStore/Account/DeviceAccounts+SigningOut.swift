public import CommuteCore
import CommuteSQLite
import Foundation

extension DeviceAccounts {
  /// What becomes of an account's file when the account signs out.
  public enum Farewell: Hashable, Sendable {
    /// It goes, unless something in it is not settled by the server.
    case ifSettled
    /// It stays as it is, for when the account signs in again.
    case keep
    /// It goes once a copy of all of it is in this new file.
    case export(toFile: String)
    /// It goes, with whatever is not settled.
    case wipe
  }

  /// Signs an account out.
  ///
  /// A copy can be used again as the `commute.db` of a device of its own; it takes an identity of
  /// its own when it is opened.
  ///
  /// - Throws: ``SignOutRefusal`` where the file must not go; nothing is changed then.
  /// - Returns: What was not settled when the account signed out.
  @discardableResult
  public func signOut(
    _ account: Account, _ farewell: Farewell
  ) throws(SignOutRefusal) -> UnsettledWork {
    do {
      guard let file = try file(of: account) else { return UnsettledWork() }
      if farewell != .keep {
        let folder = try StoreFolder(file.directory, hostDirectory: hostDirectory)
        return try remove(folder, farewell, leaving: account)
      }
      try signOutCurrent(leaving: account)
      return file.unsettled
    } catch let refusal as SignOutRefusal {
      throw refusal
    } catch let error as StoreError {
      throw .store(error)
    } catch {
      throw .store(.unreadable(path: directory, reason: "\(error)"))
    }
  }

  /// Removes a file that nobody else has open, so that nothing can be written into it meanwhile.
  private func remove(
    _ folder: StoreFolder, _ farewell: Farewell, leaving account: Account
  ) throws -> UnsettledWork {
    guard folder.syncLock.tryLock() else { throw SignOutRefusal.inUse }
    defer { folder.syncLock.unlock() }
    guard folder.writerLock.tryLock() else { throw SignOutRefusal.inUse }
    defer { folder.writerLock.unlock() }
    let unsettled = try release(folder, farewell)
    // First what makes a lost file a loss: from here on the file only disappears.
    if let host = folder.host { try removeItem(host.path) }
    try removeItem(folder.database)
    if folder.path != directory { try removeItem(folder.path) }
    try signOutCurrent(leaving: account)
    return unsettled
  }

  /// Looks whether a file may go, copies it where that is wanted, and ends its log.
  private func release(
    _ folder: StoreFolder, _ farewell: Farewell
  ) throws -> UnsettledWork {
    do {
      var configuration = Configuration(.readWrite)
      configuration.journal = .unchanged
      configuration.busyMilliseconds = 0
      let place = DatabasePlace(location: .file(folder.database), key: key)
      let connection = try place.connect(configuration)
      defer { connection.close() }
      let file = try AccountFile.read(in: folder.path, on: connection)
      let unsettled = file?.unsettled ?? UnsettledWork()
      if farewell == .ifSettled, !unsettled.isEmpty { throw SignOutRefusal.unsettled(unsettled) }
      // The log ends only where no other connection is open, in whatever process.
      guard try connection.value("PRAGMA journal_mode = DELETE") == .text("delete") else {
        throw SignOutRefusal.inUse
      }
      if case .export(let path) = farewell { try connection.backup(toFile: path) }
      return unsettled
    } catch SQLiteError.busy {
      throw SignOutRefusal.inUse
    } catch StoreError.busy {
      throw SignOutRefusal.inUse
    } catch let error as SQLiteError {
      throw StoreError(error)
    }
  }

  private func removeItem(_ path: String) throws {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch CocoaError.fileNoSuchFile {
      // Somebody was faster, or it was never there.
    }
  }
}

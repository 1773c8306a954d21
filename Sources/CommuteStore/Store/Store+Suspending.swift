import CommuteSQLite
import Synchronization

/// Letting go of the files while the app is not running.
extension Store {
  /// Lets everything under way end, then closes every file: no lock is held until ``resume()``.
  ///
  /// For apps whose database lies in a folder shared with extensions: iOS ends an app that is
  /// suspended while it holds a lock there. Call it when the app goes to the background, and
  /// ``resume()`` before it is used again. Meanwhile reads and writes throw
  /// ``StoreError/suspended``, observed queries stay and are silent, and another process may sync.
  /// A store in memory stays as it is. Calling it twice does nothing more.
  public func suspend() async {
    if folder.isMemory { return }
    await writer.suspend { [readers, watch, folder] in
      readers.suspend()
      watch.suspend()
      folder.syncLock.unlock()
    }
  }

  /// Opens the files again; observed queries are read again and tell what has changed.
  ///
  /// - Throws: What opening the store throws; it stays suspended then.
  public func resume() async throws(StoreError) {
    if folder.isMemory { return }
    do {
      guard try await writer.resume(opening) else { return }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .query(reason: "\(error)")
    }
    if syncFlag.isTaken.load(ordering: .acquiring) {
      // Where another process took it, its round is the one whose answer counts.
      _ = folder.syncLock.tryLock()
    }
    readers.resume()
    watch.resume()
    observers.noteEverything()
  }

  /// Why nothing can be written: a newer app wrote the file, or it was opened for reading.
  ///
  /// Nil where it can; the error's message is for people. Everything can be read, and the inbox be
  /// exported.
  public var readOnlyReason: StoreError? { writer.refusal }
}

import Synchronization

/// The status as everybody sees it, and those who want to know when it changes.
final class StatusBoard: Sendable {
  private struct Content {
    var latest = SyncStatus.idle(lastSuccess: nil)
    var readers: [Int: AsyncStream<SyncStatus>.Continuation] = [:]
    var nextReader = 0
  }

  private let content = Mutex(Content())

  var latest: SyncStatus { content.withLock { $0.latest } }

  /// Shows a status; one that is the same as before wakes nobody.
  func show(_ status: SyncStatus) {
    // Told under the lock, so that nobody hears an older status after a newer one.
    content.withLock { content in
      guard content.latest != status else { return }
      content.latest = status
      for reader in content.readers.values { reader.yield(status) }
    }
  }

  /// Ends all streams.
  func finish() {
    let readers = content.withLock { content in
      defer { content.readers = [:] }
      return Array(content.readers.values)
    }
    for reader in readers { reader.finish() }
  }

  /// The status now and whenever it changes.
  func stream() -> AsyncStream<SyncStatus> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
      let id = content.withLock { content in
        let id = content.nextReader
        content.nextReader += 1
        content.readers[id] = reader
        reader.yield(content.latest)
        return id
      }
      reader.onTermination = { [weak self] _ in
        self?.content.withLock { $0.readers[id] = nil }
      }
    }
  }
}

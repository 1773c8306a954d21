import Synchronization

/// A door that a test holds shut while a request stands before it.
final class Gate: Sendable {
  private struct Content {
    var isOpen = false
    var isCancelled = false
    var waiting: CheckedContinuation<Bool, Never>?
    var watcher: CheckedContinuation<Void, Never>?
    var hasArrived = false
  }

  private let content = Mutex(Content())

  /// Waits at the door.
  ///
  /// - Returns: False where the task was cancelled before the door was opened.
  func pass() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (watcher, answer) = content.withLock { content in
          content.hasArrived = true
          let answer: Bool? = content.isCancelled ? false : content.isOpen ? true : nil
          if answer == nil { content.waiting = continuation }
          defer { content.watcher = nil }
          return (content.watcher, answer)
        }
        watcher?.resume()
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiting = content.withLock { content in
        content.isCancelled = true
        defer { content.waiting = nil }
        return content.waiting
      }
      waiting?.resume(returning: false)
    }
  }

  /// Waits until somebody stands before the door.
  func arrival() async {
    await withCheckedContinuation { continuation in
      let hasArrived = content.withLock { content in
        if !content.hasArrived { content.watcher = continuation }
        return content.hasArrived
      }
      if hasArrived { continuation.resume() }
    }
  }

  func open() {
    let waiting = content.withLock { content in
      content.isOpen = true
      defer { content.waiting = nil }
      return content.waiting
    }
    waiting?.resume(returning: true)
  }
}

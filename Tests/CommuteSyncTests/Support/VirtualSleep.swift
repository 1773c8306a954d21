import Synchronization

/// Waits that end when a test says so.
final class VirtualSleep: Sendable {
  private struct Content {
    var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    var cancelled: Set<Int> = []
    var next = 0
  }

  /// How long each wait was asked to be, in milliseconds, in order.
  let asked: AsyncStream<Int64>
  private let speaker: AsyncStream<Int64>.Continuation
  private let content = Mutex(Content())

  init() {
    (asked, speaker) = AsyncStream.makeStream(of: Int64.self)
  }

  /// Waits until ``wake()`` or until the task is cancelled.
  func wait(_ duration: Duration) async throws {
    let id = content.withLock { content in
      content.next += 1
      return content.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = content.withLock { content in
          if content.cancelled.contains(id) { return true }
          content.sleepers[id] = continuation
          return false
        }
        guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
        speaker.yield(
          duration.components.seconds * 1_000
            + duration.components.attoseconds / 1_000_000_000_000_000)
      }
    } onCancel: {
      let sleeper = content.withLock { content in
        content.cancelled.insert(id)
        return content.sleepers.removeValue(forKey: id)
      }
      sleeper?.resume(throwing: CancellationError())
    }
  }

  /// How many wait now.
  var count: Int { content.withLock { $0.sleepers.count } }

  /// Ends all waits.
  func wake() {
    let sleepers = content.withLock { content in
      defer { content.sleepers = [:] }
      return Array(content.sleepers.values)
    }
    for sleeper in sleepers { sleeper.resume() }
  }
}

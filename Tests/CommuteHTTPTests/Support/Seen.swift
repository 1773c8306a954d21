import Synchronization

/// What a handler was asked for, in order.
final class Seen: Sendable {
  private let list = Mutex<[String]>([])

  var urls: [String] { list.withLock { $0 } }

  func add(_ url: String) {
    list.withLock { $0.append(url) }
  }
}

import Synchronization

/// Tokens that are given out one after another.
final class TokenList: Sendable {
  private let left: Mutex<[String]>

  init(_ tokens: [String]) {
    left = Mutex(tokens)
  }

  func next() -> String? {
    left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}

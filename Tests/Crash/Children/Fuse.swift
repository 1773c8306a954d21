import Foundation
import Synchronization

/// Kills the process when it comes by a named point for the nth time.
final class Fuse: Sendable {
  /// Which point, which time, and how many microseconds later.
  struct Charge: Codable, Equatable {
    var point: String
    var passes: Int
    var delay = 0
  }

  private let charge: Mutex<Charge?>

  init(_ charge: Charge? = nil) {
    self.charge = Mutex(charge)
  }

  /// Sets the next charge.
  func arm(_ charge: Charge) {
    self.charge.withLock { $0 = charge }
  }

  /// Tells that the process is at a point.
  func pass(_ point: String) {
    let delay = charge.withLock { charge -> Int? in
      guard charge?.point == point else { return nil }
      charge?.passes -= 1
      guard let due = charge, due.passes <= 0 else { return nil }
      charge = nil
      return due.delay
    }
    guard let delay else { return }
    if delay == 0 { Self.blow() }
    Thread {
      let end = ContinuousClock.now + .microseconds(delay)
      while ContinuousClock.now < end {}
      Self.blow()
    }.start()
  }

  /// Ends the process as `kill -9` does; nothing after it is run.
  static func blow() {
    kill(getpid(), SIGKILL)
  }
}

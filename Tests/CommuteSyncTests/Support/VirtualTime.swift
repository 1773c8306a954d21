import CommuteStore
import Synchronization

/// Clocks that stand still until a test turns them.
final class VirtualTime: Sendable {
  private struct Reading {
    var wall: Int64 = 1_700_000_000_000
    var monotonic: Int64 = 5_000
  }

  private let reading = Mutex(Reading())

  var wall: Int64 { reading.withLock { $0.wall } }

  var clock: StoreClock {
    StoreClock(
      wall: { self.wall }, monotonic: { self.reading.withLock { $0.monotonic } },
      bootID: { "boot" })
  }

  func advance(_ milliseconds: Int64) {
    reading.withLock {
      $0.wall += milliseconds
      $0.monotonic += milliseconds
    }
  }
}

import CommuteStore
import Synchronization

/// The time of a story: it passes only when the script says so, for everybody alike.
final class StoryTime: Sendable {
  private let milliseconds: Mutex<Int64>

  init(start: Int64) {
    milliseconds = Mutex(start)
  }

  /// Milliseconds since 1970.
  var now: Int64 { milliseconds.withLock { $0 } }

  func pass(seconds: Int64) {
    milliseconds.withLock { $0 += seconds * 1_000 }
  }
}

/// The clock of one device: it may be behind.
final class DeviceClock: Sendable {
  private let time: StoryTime
  private let behind = Mutex<Int64>(0)

  init(_ time: StoryTime) {
    self.time = time
  }

  /// What the device takes for the time.
  var wall: Int64 { time.now - behind.withLock { $0 } }

  func slip(hours: Int64) {
    behind.withLock { $0 += hours * 3_600_000 }
  }

  /// The clock as a store takes it; the machine never starts anew in a story.
  var storeClock: StoreClock {
    StoreClock(wall: { self.wall }, monotonic: { self.time.now }, bootID: { "story" })
  }
}

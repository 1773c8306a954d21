import CommuteStore
import Synchronization

/// The time of a story: it passes only when the script says so, for everybody alike.
final class StoryTime: Sendable {
  private let milliseconds: Mutex<Int64>
  private let wholeDays = Mutex<Int64>(0)
  private let server: @Sendable () -> Int64

  /// - Parameters:
  ///   - start: When the story begins.
  ///   - server: The clock of a server that does not stand still while the story does.
  init(start: Int64, server: @escaping @Sendable () -> Int64 = { 0 }) {
    milliseconds = Mutex(start)
    self.server = server
  }

  /// Milliseconds since 1970.
  var now: Int64 { milliseconds.withLock { $0 } }

  /// Lets time pass, and on a slow machine first catches up with the server: what a story does
  /// later is later for everybody.
  func pass(seconds: Int64) {
    let server = server() + days * 86_400_000
    milliseconds.withLock { $0 = max($0, server) + seconds * 1_000 }
  }

  /// How many days have passed by the script.
  var days: Int64 { wholeDays.withLock { $0 } }

  func pass(days: Int64) {
    wholeDays.withLock { $0 += days }
    milliseconds.withLock { $0 += days * 86_400_000 }
  }
}

/// The clock of one device: it may be behind, or ahead.
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

  func leap(days: Int64) {
    behind.withLock { $0 -= days * 86_400_000 }
  }

  func fallTo1970() {
    behind.withLock { $0 = time.now }
  }

  /// The clock as a store takes it; the machine never starts anew in a story.
  var storeClock: StoreClock {
    StoreClock(wall: { self.wall }, monotonic: { self.time.now }, bootID: { "story" })
  }
}

import CommuteServer
import Foundation

/// The wall clock of a server's commands, which a test may set ahead.
///
/// It is for stories that last longer than anybody waits. A server that runs so says it.
enum ProgramClock {
  /// The environment variable that says by how many milliseconds.
  static let variable = "COMMUTE_CLOCK_AHEAD"
  /// A thousand years are enough for any story.
  private static let limit: Int64 = 31_536_000_000_000

  /// How many milliseconds this process is ahead of its machine; zero where nobody asked for it.
  static let ahead = ahead(ProcessInfo.processInfo.environment[variable])

  /// Reads what the environment says; zero for anything that is no number in the limit.
  static func ahead(_ text: String?) -> Int64 {
    guard let text, let ahead = Int64(text), (-limit...limit).contains(ahead) else { return 0 }
    return ahead
  }

  /// Milliseconds since 1970.
  @Sendable static func milliseconds() -> Int64 { WallClock.milliseconds() + ahead }
}

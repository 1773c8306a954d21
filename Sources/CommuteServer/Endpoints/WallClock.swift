#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The machine's wall clock, for whoever is given none.
public enum WallClock {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  @Sendable public static func milliseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
  }
}

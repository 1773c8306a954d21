import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The clocks a store reads.
public struct StoreClock: Sendable {
  /// The wall clock: milliseconds since 1970; people and networks set it as they like.
  public var wall: @Sendable () -> Int64
  /// Milliseconds that only ever grow while the machine is up.
  public var monotonic: @Sendable () -> Int64
  /// A text that is another one each time the machine starts.
  public var bootID: @Sendable () -> String

  /// Makes clocks of three functions.
  public init(
    wall: @escaping @Sendable () -> Int64, monotonic: @escaping @Sendable () -> Int64,
    bootID: @escaping @Sendable () -> String
  ) {
    self.wall = wall
    self.monotonic = monotonic
    self.bootID = bootID
  }

  /// The clocks of this machine.
  public static let system = StoreClock(
    wall: { milliseconds(of: CLOCK_REALTIME) }, monotonic: { milliseconds(of: CLOCK_MONOTONIC) },
    bootID: { bootIDOfSystem })

  private static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  private static let bootIDOfSystem: String = {
    #if canImport(Darwin)
      var size = 0
      sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0)
      var bytes = [UInt8](repeating: 0, count: size)
      sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0)
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    #else
      let file = "/proc/sys/kernel/random/boot_id"
      let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? "unknown"
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    #endif
  }()
}

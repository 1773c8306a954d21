import Foundation

/// Names the history in which the program trapped: the first promise is that none does.
enum TrapReport {
  // Written and read by the only thread there is, the signal handler included.
  nonisolated(unsafe) private static var seed: UInt64 = 0

  /// Notes which history is played from now on.
  static func note(_ seed: UInt64) {
    Self.seed = seed
  }

  /// Reports a trap from now on, before the process ends by it.
  static func install() {
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
      signal(number) { number in
        TrapReport.write("\nsimulate: seed ")
        TrapReport.write(TrapReport.seed)
        TrapReport.write(" breaks invariant 1: it trapped; replay it with --replay ")
        TrapReport.write(TrapReport.seed)
        TrapReport.write(" --trace\n")
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  // A handler must not allocate: the trap may have happened inside the allocator.
  private static func write(_ text: StaticString) {
    _ = Foundation.write(2, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func write(_ number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      var digit = UInt8(ascii: "0") + UInt8(number / divisor % 10)
      _ = Foundation.write(2, &digit, 1)
      divisor /= 10
    }
  }
}

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where a store's random numbers come from: the system, or a seed for runs that can be repeated.
struct StoreRandom: RandomNumberGenerator {
  private var seeded: UInt64?
  private var system = SystemRandomNumberGenerator()
  /// Numbers drawn ahead: the system is asked for many at once.
  private var drawn: [UInt64] = []

  init(seed: UInt64?) {
    seeded = seed
  }

  /// A source of its own for somebody else; from a seed it follows from what was drawn so far.
  mutating func forked() -> StoreRandom {
    StoreRandom(seed: seeded == nil ? nil : next())
  }

  /// The next 64 bits (SplitMix64 where there is a seed).
  mutating func next() -> UInt64 {
    guard let state = seeded else { return nextOfSystem() }
    let advanced = state &+ 0x9E37_79B9_7F4A_7C15
    seeded = advanced
    var mixed = advanced
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  private mutating func nextOfSystem() -> UInt64 {
    if drawn.isEmpty {
      drawn = [UInt64](repeating: 0, count: 32)
      let isFilled = drawn.withUnsafeMutableBytes { bytes in Self.fill(bytes) }
      if !isFilled { drawn = [] }
    }
    return drawn.popLast() ?? system.next()
  }

  /// Fills at most 256 bytes; false where the system gives none.
  private static func fill(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    return getentropy(start, bytes.count) == 0
  }
}

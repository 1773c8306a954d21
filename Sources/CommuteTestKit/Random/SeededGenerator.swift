/// Random numbers that are the same for the same seed, on every machine (SplitMix64).
///
/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014. Good enough
/// to choose what happens next; not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// Starts from a seed; neighbouring seeds give unrelated numbers.
  @inlinable
  public init(seed: UInt64) {
    self.init(state: seed &* 0xD129_0B26_9C5A_3D4F &+ 0x9E37_79B9_7F4A_7C15)
  }

  @usableFromInline
  init(state: UInt64) {
    self.state = state
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number from zero to below `count`; zero where nothing is to choose.
  public mutating func draw(_ count: Int) -> Int {
    guard count > 1 else { return 0 }
    return Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(count)).high)
  }
}

/// Random numbers that all come from the 128 bits a call was given, so that a call is a function of
/// its bytes alone.
struct WebRandom: RandomNumberGenerator {
  private let seed: [UInt8]
  private var count: UInt64 = 0
  private var drawn: [UInt64] = []

  init(_ seed: OperationID) {
    self.seed = seed.bytes
  }

  /// The next 64 bits of SHA-256 over the seed and a count.
  mutating func next() -> UInt64 {
    if let number = drawn.popLast() { return number }
    var hash = SHA256()
    hash.update(seed)
    hash.update((0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
    count += 1
    let digest = hash.finish()
    drawn = [digest.fourth, digest.third, digest.second]
    return digest.first
  }
}

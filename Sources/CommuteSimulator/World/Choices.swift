import CommuteTestKit

/// Everything that is left to chance in a history, as a sequence of small numbers.
///
/// The sequence is kept, so that a history can be played again, and made shorter. Zero always means
/// the simplest thing: a sequence that has run out goes on with zeros.
struct Choices {
  /// What was drawn so far.
  private(set) var drawn: [UInt32] = []
  private var generator: SeededGenerator
  private let script: [UInt32]?

  /// Draws from a seed.
  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    script = nil
    drawn.reserveCapacity(384)
  }

  /// Plays a sequence again.
  init(playing script: [UInt32]) {
    generator = SeededGenerator(seed: 0)
    self.script = script
  }

  /// Whether a sequence that is played again has run out.
  var isOver: Bool { script.map { drawn.count >= $0.count } ?? false }

  /// Draws a number below `count`.
  mutating func draw(_ count: Int) -> Int {
    guard count > 1 else { return 0 }
    let choice: UInt32
    if let script {
      choice = drawn.count < script.count ? script[drawn.count] % UInt32(count) : 0
    } else {
      choice = UInt32(truncatingIfNeeded: generator.draw(count))
    }
    drawn.append(choice)
    return Int(choice)
  }

  /// Draws whether something with a chance of one in `count` happens.
  mutating func oneIn(_ count: Int) -> Bool {
    draw(count) == count - 1
  }
}

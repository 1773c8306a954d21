/// Looks for the shortest sequence of choices that still fails.
struct Shrinker {
  /// Plays a sequence: what was drawn if it fails, nil if it does not.
  let failure: ([UInt32]) -> [UInt32]?
  /// How many sequences may still be tried.
  private(set) var budget: Int

  init(budget: Int = 4_000, failure: @escaping ([UInt32]) -> [UInt32]?) {
    self.budget = budget
    self.failure = failure
  }

  /// Shrinks until the history no longer breaks the same promise.
  init(_ history: History, on stage: Stage, invariant: Int) {
    self.init { choices in
      let world = history.play(Choices(playing: choices), on: stage)
      guard let violation = world.violation, violation.invariant == invariant else { return nil }
      return world.choices.drawn
    }
  }

  /// Shrinks a sequence that fails.
  mutating func shrink(_ choices: [UInt32]) -> [UInt32] {
    var best = choices
    var improves = true
    while improves, budget > 0 {
      improves = dropChunks(of: &best)
      improves = lowerEach(of: &best) || improves
    }
    return best
  }

  private mutating func dropChunks(of best: inout [UInt32]) -> Bool {
    var improves = false
    var size = max(1, best.count / 2)
    while size >= 1, budget > 0 {
      var start = 0
      while start < best.count, budget > 0 {
        var shorter = best
        shorter.removeSubrange(start..<min(start + size, shorter.count))
        if adopt(shorter, for: &best) {
          improves = true
        } else {
          start += max(1, size / 2)
        }
      }
      size /= 2
    }
    return improves
  }

  private mutating func lowerEach(of best: inout [UInt32]) -> Bool {
    var improves = false
    var index = 0
    while index < best.count, budget > 0 {
      for divisor in [UInt32.max, 2] where index < best.count && best[index] > 0 {
        var lower = best
        lower[index] /= divisor
        if adopt(lower, for: &best) { improves = true }
      }
      index += 1
    }
    return improves
  }

  /// Takes a sequence over if it is simpler and fails.
  private mutating func adopt(_ choices: [UInt32], for best: inout [UInt32]) -> Bool {
    budget -= 1
    guard var drawn = failure(choices) else { return false }
    while let last = drawn.last, last == 0 { drawn.removeLast() }
    let isSimpler =
      drawn.count < best.count
      || (drawn.count == best.count && drawn.lexicographicallyPrecedes(best))
    if isSimpler { best = drawn }
    return isSimpler
  }
}

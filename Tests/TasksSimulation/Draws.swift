import CommuteTestKit

/// The choices of a history: drawn from a seed and written down, or played again from a list.
struct Draws {
  private var random: SeededGenerator
  private let script: [UInt32]?
  private var place = 0
  /// What was chosen, in order.
  private(set) var drawn: [UInt32] = []

  /// Draws from a seed.
  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    script = nil
  }

  /// Plays a list; zero from its end on.
  init(playing script: [UInt32]) {
    random = SeededGenerator(seed: 0)
    self.script = script
  }

  /// Whether a list has come to its end.
  var isOver: Bool { script.map { place >= $0.count } ?? false }

  /// A number from zero to below `count`.
  mutating func draw(_ count: Int) -> Int {
    guard count > 1 else { return 0 }
    let number: Int
    if let script {
      number = place < script.count ? Int(script[place]) % count : 0
      place += 1
    } else {
      number = random.draw(count)
    }
    drawn.append(UInt32(number))
    return number
  }

  /// Whether something happens that does so once in `count` times.
  mutating func once(in count: Int) -> Bool { draw(count) == count - 1 }

  /// One of several.
  mutating func pick<Item>(_ items: [Item]) -> Item? {
    items.isEmpty ? nil : items[draw(items.count)]
  }
}

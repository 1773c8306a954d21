/// What the checks have found: each thing once, however often it is seen.
struct Findings {
  /// What was promised and is not there.
  private(set) var lost: Set<String> = []
  /// What contradicts itself or must not be there.
  private(set) var corrupt: Set<String> = []
  private let tell: (String) -> Void

  /// So many are told; the rest are only counted.
  private static let toldLimit = 20

  init(tell: @escaping (String) -> Void) {
    self.tell = tell
  }

  mutating func lose(_ what: String) {
    if lost.insert(what).inserted, lost.count <= Self.toldLimit { tell("lost: \(what)") }
  }

  mutating func corrupt(_ what: String) {
    if corrupt.insert(what).inserted, corrupt.count <= Self.toldLimit { tell("corrupt: \(what)") }
  }
}

/// The nodes of a graph of tasks and what comes after what, checked before anything is written.
public struct GraphPlan: Hashable, Sendable {
  /// What is wrong with a graph.
  public enum Fault: Error, Hashable, Sendable {
    /// These nodes wait for each other, the last one for the first.
    case cycle([String])
    /// A node comes after one that is not there.
    case unknownNode(String, in: String)
    /// Two nodes have one name.
    case duplicateNode(String)
    /// There are too many.
    case tooManyNodes(Int)
    /// There is none.
    case empty
  }

  /// The most nodes of a graph.
  public static let nodeLimit = 1_000

  /// The names, each after all it comes after.
  public let order: [String]
  /// For each place of ``order`` the places of the nodes it comes after, each once.
  public let parents: [[Int]]

  /// Checks a graph and puts its nodes in order.
  ///
  /// - Parameter nodes: Each node's name with the names it comes after.
  /// - Throws: ``Fault``, with the whole path of a cycle.
  public init(_ nodes: [(name: String, after: [String])]) throws(Fault) {
    guard !nodes.isEmpty else { throw .empty }
    guard nodes.count <= Self.nodeLimit else { throw .tooManyNodes(nodes.count) }
    var places: [Key: Int] = [:]
    for (place, node) in nodes.enumerated() {
      if places.updateValue(place, forKey: Key(node.name)) != nil {
        throw .duplicateNode(node.name)
      }
    }
    var above: [[Int]] = []
    for (place, node) in nodes.enumerated() {
      var found: [Int] = []
      for name in node.after {
        guard let parent = places[Key(name)] else { throw .unknownNode(name, in: node.name) }
        if parent == place { throw .cycle([node.name]) }
        if !found.contains(parent) { found.append(parent) }
      }
      above.append(found)
    }
    let sorted = Self.sort(above)
    guard sorted.count == nodes.count else {
      throw .cycle(Self.cycle(in: above, without: sorted).map { nodes[$0].name })
    }
    var newPlace = [Int](repeating: 0, count: nodes.count)
    for (new, old) in sorted.enumerated() { newPlace[old] = new }
    order = sorted.map { nodes[$0].name }
    parents = sorted.map { old in above[old].map { newPlace[$0] } }
  }

  /// The places that can be put in order: those in no cycle and behind none.
  private static func sort(_ above: [[Int]]) -> [Int] {
    var below = [[Int]](repeating: [], count: above.count)
    var left: [Int] = []
    for (place, parents) in above.enumerated() {
      left.append(parents.count)
      for parent in parents { below[parent].append(place) }
    }
    var sorted = above.indices.filter { left[$0] == 0 }
    var next = 0
    while next < sorted.count {
      for child in below[sorted[next]] {
        left[child] -= 1
        if left[child] == 0 { sorted.append(child) }
      }
      next += 1
    }
    return sorted
  }

  /// One cycle among the places that could not be put in order, in the order of running.
  private static func cycle(in above: [[Int]], without sorted: [Int]) -> [Int] {
    let done = Set(sorted)
    guard var place = above.indices.first(where: { !done.contains($0) }) else { return [] }
    var path: [Int] = []
    var seen: [Int: Int] = [:]
    while seen[place] == nil {
      seen[place] = path.count
      path.append(place)
      // Each of these waits for another of them.
      guard let parent = above[place].first(where: { !done.contains($0) }) else { return [] }
      place = parent
    }
    return path[(seen[place] ?? 0)...].reversed()
  }
}

/// When a node of a graph may start.
public enum JoinRule: UInt8, Hashable, Sendable, CaseIterable {
  /// All it comes after have succeeded.
  case allSucceeded = 0
  /// All it comes after are over, however.
  case allFinished = 1
  /// One of those it comes after has succeeded; the others need not be over.
  case anySucceeded = 2

  /// What becomes of a blocked node.
  public enum Verdict: Hashable, Sendable {
    /// It goes on waiting.
    case wait
    /// It may start.
    case release
    /// It will never be able to.
    case skip
  }

  /// Decides about a node that is still blocked.
  ///
  /// - Parameters:
  ///   - total: How many it comes after.
  ///   - left: How many of them are not over.
  ///   - bad: How many of them are over and did not succeed.
  /// - Returns: What becomes of it.
  public func verdict(total: Int, left: Int, bad: Int) -> Verdict {
    // Who comes after nothing need not wait for anybody.
    if total == 0 { return .release }
    switch self {
    case .allSucceeded:
      // It is skipped as soon as that is certain, not when the slowest has ended.
      return bad > 0 ? .skip : left == 0 ? .release : .wait
    case .allFinished: return left == 0 ? .release : .wait
    case .anySucceeded:
      return total - left > bad ? .release : left == 0 ? .skip : .wait
    }
  }
}

/// What becomes of a graph when one of its nodes fails.
public enum GraphFailureRule: UInt8, Hashable, Sendable, CaseIterable {
  /// What comes after it is skipped; the rest runs.
  case skipDescendants = 0
  /// Everything that has not started is cancelled.
  case failFast = 1
  /// What comes after it runs as if it had succeeded.
  case carryOn = 2
}

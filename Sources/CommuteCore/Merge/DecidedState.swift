/// One of the values that stand side by side under `keepBoth`.
public struct Sibling: Hashable, Sendable {
  /// The stamp its writer gave it, which names it.
  public var origin: Stamp
  /// The value.
  public var value: FieldValue

  /// Makes it of both.
  public init(origin: Stamp, value: FieldValue) {
    self.origin = origin
    self.value = value
  }
}

/// What the rules that the server decides keep beside a value.
///
/// `keepBoth` keeps the siblings. It, `clientWins` and `text` keep the latest claim of each replica
/// that was settled: a file that was put back sends again what it holds, under another operation
/// id, and must not win, merge or stand beside a second time.
struct DecidedState: Hashable, Sendable {
  /// The siblings in the order of their origins; empty for a lone value.
  var siblings: [Sibling] = []
  /// The latest settled claim of each replica, in the order of the replicas.
  private(set) var claims: [Stamp] = []

  /// Makes a state of nothing.
  init() {}

  /// Whether a claim comes before the latest of its replica, or is that one.
  func hasSettled(_ claim: Stamp) -> Bool {
    let (index, found) = place(of: claim.replica)
    return found && !(claims[index] < claim)
  }

  /// Takes note of a settled claim.
  mutating func note(_ claim: Stamp) {
    let (index, found) = place(of: claim.replica)
    if found {
      claims[index] = max(claims[index], claim)
    } else {
      claims.insert(claim, at: index)
    }
  }

  private func place(of replica: ReplicaID) -> (index: Int, found: Bool) {
    claims.place(of: replica) { $0.replica }
  }
}

/// Operations that need what other operations of the same request make, in any order and in a
/// circle.
extension Settlement {
  /// The records that an operation needs and that are not there.
  func missing(of operation: Operation, in state: ServerState) -> Set<RecordKey> {
    var missing: Set<RecordKey> = []
    for needed in operation.needs
    where state.records[needed] == nil && !state.present.contains(needed)
      && !state.stubs.contains(needed)
    {
      missing.insert(needed)
    }
    return missing
  }

  /// Judges again what had to wait: one after the other while that helps, then circles as a whole.
  ///
  /// `first` is the place of the first operation's verdict.
  func judgeWaiting(
    from first: Int, of request: SyncRequest, in state: inout ServerState,
    outcome: inout Outcome, time: Int64, user: String
  ) {
    #if PLANTED
      if Planted.isActive(.circlesWait) { return }
    #endif
    var waiting = request.operations.indices.filter {
      outcome.verdicts[first + $0].waitsForRecords
    }
    var helps = true
    while helps {
      helps = false
      for index in waiting {
        let operation = request.operations[index].operation
        guard missing(of: operation, in: state).isEmpty else { continue }
        outcome.verdicts[first + index] = judge(
          operation, of: request, in: &state, outcome: &outcome, time: time, user: user)
        waiting.removeAll { $0 == index }
        helps = true
      }
    }
    var circle = Self.closed(waiting, of: request) { missing(of: $0, in: state) }
    while !circle.isEmpty {
      let refused = settleTogether(
        circle, from: first, of: request, in: &state, outcome: &outcome, time: time, user: user)
      guard let refused else { return }
      circle = Self.closed(circle.filter { $0 != refused }, of: request) {
        missing(of: $0, in: state)
      }
    }
  }

  /// Settles operations that need each other; where one of them is refused, none is settled.
  ///
  /// - Returns: The one that was refused; nil where all are settled.
  private func settleTogether(
    _ circle: [Int], from first: Int, of request: SyncRequest, in state: inout ServerState,
    outcome: inout Outcome, time: Int64, user: String
  ) -> Int? {
    let before = (state: state, outcome: outcome)
    let made = Set(circle.map { request.operations[$0].operation.key })
    for index in circle {
      let verdict = judge(
        request.operations[index].operation, of: request, besides: made, in: &state,
        outcome: &outcome, time: time, user: user)
      guard verdict.kind == .applied else {
        #if PLANTED
          if Planted.isActive(.circlesHalfSettled) { return index }
        #endif
        (state, outcome) = before
        outcome.verdicts[first + index] = verdict
        return index
      }
      outcome.verdicts[first + index] = verdict
    }
    return nil
  }

  /// The operations of which each finds what it misses made by another of them.
  private static func closed(
    _ operations: [Int], of request: SyncRequest, missing: (Operation) -> Set<RecordKey>
  ) -> [Int] {
    var made: Set<RecordKey> = []
    for index in operations where request.operations[index].operation.creates {
      made.insert(request.operations[index].operation.key)
    }
    let kept = operations.filter {
      missing(request.operations[$0].operation).isSubset(of: made)
    }
    return kept.count == operations.count ? kept : closed(kept, of: request, missing: missing)
  }
}

extension Verdict {
  /// Whether the operation waits for records that are not there.
  var waitsForRecords: Bool {
    if case .later(.needs, _) = kind { true } else { false }
  }
}

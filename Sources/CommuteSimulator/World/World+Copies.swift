import CommuteCore

/// What a server cannot know of machines that were put back and of copies of a file: counts may
/// hide each other then, as the contract says.
extension World {
  /// Whether a request is of a machine that was put back and gives no sign of it: its number has
  /// passed that of the one before, or it is one of that one's and comes late, or the machine took
  /// another id before it was heard of and sends what it counted under the one before.
  mutating func isPutBackUnnoticed(
    _ request: SyncRequest, of process: Int, by number: Int
  ) -> Bool {
    guard request.carries else { return false }
    var isUnnoticed = false
    for index in memory[number].putBacks.indices {
      let putBack = memory[number].putBacks[index]
      if putBack.before.replica != request.replica {
        let counts = request.operations.contains {
          $0.operation.counts(under: putBack.before.replica)
            || $0.operation.counts(under: putBack.replica)
        }
        if counts, process >= putBack.process { isUnnoticed = true }
      } else if process < putBack.process {
        if putBack.isHeard { isUnnoticed = true }
      } else {
        memory[number].putBacks[index].isHeard = true
        // A server that was put back may have forgotten the number.
        let isForgotten = !server.state.ancestry.isEmpty
        if isForgotten || putBack.before.number < request.number { isUnnoticed = true }
      }
    }
    return isUnnoticed
  }

  /// Whether it counts under an id of which a count was refused, where files were copied: another
  /// copy may send that count, and the totals after it are given twice.
  func isRefusedOfCopy(_ request: SyncRequest) -> Bool {
    let copies: [FaultClass] = [.restoredFile, .restoredMachine, .clonedFile]
    guard let book, copies.contains(where: { report.faults[$0.rawValue] > 0 }) else {
      return false
    }
    return book.refusedCounts.contains { replica in
      request.operations.contains { $0.operation.counts(under: replica) }
    }
  }
}

extension SyncRequest {
  /// Whether it carries anything that the server settles.
  var carries: Bool { !operations.isEmpty || !offers.isEmpty }
}

extension CommuteCore.Operation {
  /// Whether it raises a total of a replica.
  func counts(under replica: ReplicaID) -> Bool {
    fields.entries.contains { entry in
      guard case .total(let shares) = entry.value.detail else { return false }
      return shares.contains { $0.replica == replica }
    }
  }
}

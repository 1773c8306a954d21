import CommuteCore

/// What a server cannot know of machines that were put back and of copies of a file: counts may
/// hide each other then, as the contract says.
extension World {
  /// A device went back and writes on under the id that it had, as what it was made of did.
  mutating func notePutBack(_ number: Int) {
    book?.shared.insert(devices[number].file.device.replica)
  }

  /// Whether a request counts under the id of a device that was put back, and the server can see
  /// by no total that another has counted under it.
  ///
  /// Every file that has the id may send such counts: the device's own, a copy of it, and one that
  /// was put back to before the server could say so.
  func isPutBackUnnoticed(_ request: SyncRequest, by number: Int) -> Bool {
    guard let book else { return false }
    // What the server has told of is counted anew, and hides nothing.
    return book.shared.subtracting(devices[number].file.noticed).contains { replica in
      guard request.operations.contains(where: { $0.operation.counts(under: replica) })
      else { return false }
      // A server that was put back has forgotten totals, and an offer brings them back.
      if !server.state.ancestry.isEmpty { return true }
      guard let held = server.held[Stage.item] else { return false }
      if held.deleted != nil { return true }
      // Under another id of the sender's the server takes what begins below what it holds.
      return replica == request.replica
        ? bringsTotalAgain(request, under: replica, held: held)
        : beginsBelow(held, request, under: replica)
    }
  }

  /// Whether a count that the server does not know begins below what it holds of a replica.
  private func beginsBelow(
    _ held: RecordState, _ request: SyncRequest, under replica: ReplicaID
  ) -> Bool {
    request.operations.contains { sent in
      let operation = sent.operation
      if server.state.operations[operation.id]?.digest == operation.digest { return false }
      return operation.fields.entries.contains { entry in
        guard case .total(let shares) = entry.value.detail else { return false }
        let total = held.fields[entry.name]?.counter[replica] ?? CounterTotal()
        return shares.contains {
          $0.replica == replica && ($0.before.up < total.up || $0.before.down < total.down)
        }
      }
    }
  }

  /// Whether it sends again, for all that the server can see, what is there: by chance both
  /// counted alike.
  private func bringsTotalAgain(
    _ request: SyncRequest, under replica: ReplicaID, held: RecordState
  ) -> Bool {
    request.operations.contains { sent in
      guard request.again.contains(sent.operation.id),
        !server.notes.applied.contains(sent.operation.id)
      else { return false }
      return sent.operation.fields.entries.contains { entry in
        guard case .total(let shares) = entry.value.detail else { return false }
        return shares.contains {
          $0.replica == replica && held.fields[entry.name]?.counter[replica] == $0.after
        }
      }
    }
  }

  /// What waits under an id that is given up, in a record that the answer does not tell.
  mutating func noteUntold(_ told: [RecordMessage], under replica: ReplicaID, on number: Int) {
    guard let book, book.shared.contains(replica) else { return }
    let item = devices[number].file.records[Stage.item]
    let waits = item.rows.contains { $0.operation.counts(under: replica) }
    if waits, !told.contains(where: { $0.key == item.key }) { self.book?.mayHideCounts = true }
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

extension Settlement {
  /// The records that a device needs to tell, under a new replica id, what it counted under the old
  /// one: those of its counter operations, where the user may read them.
  ///
  /// Told to a device whose request number was used before.
  public static func renewal(of request: SyncRequest, in state: ServerState) -> [RecordMessage] {
    var records: [RecordMessage] = []
    for sent in request.operations {
      let operation = sent.operation
      guard operation.counts, let stored = state.records[operation.key],
        stored.feed == operation.feed, state.heads[operation.feed]?.revoked == nil,
        !records.contains(where: { $0.key == operation.key })
      else { continue }
      records.append(RecordMessage(key: operation.key, state: stored.state))
    }
    return records
  }
}

extension Operation {
  /// Whether it raises the total of a counter.
  var counts: Bool {
    fields.entries.contains { entry in
      if case .total = entry.value.detail { true } else { false }
    }
  }

  /// The replicas whose totals it raises, and the one that it names as its writer.
  public var countingReplicas: [ReplicaID] {
    guard counts else { return [] }
    var replicas = [replica]
    for entry in fields.entries {
      guard case .total(let shares) = entry.value.detail else { continue }
      for share in shares where !replicas.contains(share.replica) {
        replicas.append(share.replica)
      }
    }
    return replicas
  }
}

extension RecordState {
  /// Forgets removals from its sets that were made before a moment.
  ///
  /// Only behind the fence that also purges tombstones.
  ///
  /// - Returns: Whether there were any.
  public mutating func pruneRemovals(before milliseconds: UInt64) -> Bool {
    var isPruned = false
    for index in fields.entries.indices {
      var set = fields[position: index].set
      // What other rules keep beside a value is no set, and does not read back as one.
      guard !set.removals.isEmpty, set.json == fields[position: index].merge else { continue }
      let before = set
      set.prune(before: milliseconds)
      guard set != before else { continue }
      fields[position: index].merge = set.json
      isPruned = true
    }
    return isPruned
  }
}

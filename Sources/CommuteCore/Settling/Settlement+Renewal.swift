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

  /// Whether another machine has counted under the request's replica id: a new count begins below
  /// what is held of the replica.
  ///
  /// A device counts on from what it has counted, and the totals of one replica come one after the
  /// other. A machine that was put back counts on from what it knew then; of two totals the greater
  /// would hide the other. Told so, it counts under another id what it has counted since.
  ///
  /// What was sent before may have been settled by a history of the server that is lost, and have
  /// come back with an offer: its very total is there then, and it is nobody else's.
  func isCountedElsewhere(_ request: SyncRequest, in state: ServerState) -> Bool {
    #if PLANTED
      if Planted.isActive(.totalsBelieved) { return false }
    #endif
    for sent in request.operations {
      let operation = sent.operation
      guard operation.counts, state.operations[operation.id] == nil,
        let stored = state.records[operation.key], stored.feed == operation.feed,
        stored.state.deleted == nil,
        feedRefusal(of: operation.id, operation.feed, request: request, in: state) == nil
      else { continue }
      let isPerhapsSettled = request.again.contains(operation.id)
      for entry in operation.fields.entries {
        guard case .total(let shares) = entry.value.detail,
          let share = shares.first(where: { $0.replica == request.replica }),
          let held = stored.state.fields[entry.name]?.counter[request.replica]
        else { continue }
        if isPerhapsSettled, held == share.after { continue }
        if share.before.up < held.up || share.before.down < held.down { return true }
      }
    }
    return false
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

extension Settlement {
  /// The records of conflicts that settling an operation might find, to be loaded with it.
  ///
  /// Without them a conflict that was dismissed could come back where a file that was put back
  /// sends again what it had sent. Ordinary changes give none.
  public static func conflicts(
    of operation: Operation, on stored: StoredRecord?
  ) -> [RecordKey] {
    guard let stored else { return [] }
    var keys: [RecordKey] = []
    for entry in operation.fields.entries where !entry.value.stamp.isFloor {
      let change = entry.value
      var origins: [Stamp] = []
      if stored.state.deleted != nil { origins.append(change.stamp) }
      if !change.rule.isSummed, change.rule != .keepBoth,
        let current = stored.state.fields[entry.name], current.origin != change.stamp,
        change.rule == .text || change.over?.origin != current.origin
      {
        origins = [change.stamp, current.origin]
      }
      for origin in origins where !origin.isFloor {
        let id = ConflictEntry.id(of: operation.key, field: entry.name, losing: origin)
        keys.append(RecordKey(table: ConflictEntry.table, id: id))
      }
    }
    return keys
  }

  /// Writes a conflict as a record of its own, once for each lost value.
  func write(
    _ conflict: FieldSettling.Conflict, of operation: Operation, in state: inout ServerState,
    outcome: inout Outcome, time: Int64, user: String
  ) {
    let lost = conflict.lost
    let id = ConflictEntry.id(of: operation.key, field: conflict.field, losing: lost.origin)
    let key = RecordKey(table: ConflictEntry.table, id: id)
    guard state.records[key] == nil, !state.stubs.contains(key) else { return }
    #if PLANTED
      let addressee =
        Planted.isActive(.conflictMisaddressed)
        ? conflict.kept?.origin.replica ?? lost.origin.replica : lost.origin.replica
    #else
      let addressee = lost.origin.replica
    #endif
    var replicas = [addressee]
    if conflict.isOwn, operation.replica != lost.origin.replica {
      replicas.append(operation.replica)
    }
    let entry = ConflictEntry(
      id: id, record: operation.key, field: conflict.field, rule: conflict.rule.name,
      lost: lost.value, lostOrigin: lost.origin, lostBy: conflict.isOwn ? user : nil,
      kept: conflict.kept?.value, keptOrigin: conflict.kept?.origin,
      keptBy: conflict.isOwn || conflict.kept == nil ? nil : user, time: time,
      replicas: replicas)
    // A claim from the future is no stamp to settle anything under.
    let lostStamp =
      isFromFuture(lost.stamp, time: time)
      ? serverStamp(above: .floor, in: &state, time: time) : lost.stamp
    var record = entry.state(lost: lostStamp, kept: conflict.kept?.stamp)
    raise(
      &record, key: key, feed: operation.feed, in: &state, outcome: &outcome, user: user)
  }
}

/// Stamps from the future: a device whose clock is ahead cannot outlast everybody else's writes.
extension Settlement {
  /// Whether a stamp is further ahead of the server's time than the limit.
  func isFromFuture(_ stamp: Stamp, time: Int64) -> Bool {
    #if PLANTED
      if Planted.isActive(.futureTrusted) { return false }
    #endif
    return stamp.milliseconds > Self.milliseconds(of: time) + Limits.skewMilliseconds
  }

  /// The stamp that the same claim was given before.
  func remembered(_ claim: Stamp, of field: FieldKey, in state: ServerState) -> Stamp? {
    guard let memories = state.restamps[field] else { return nil }
    for memory in memories where memory.claimed == claim { return memory.settled }
    return nil
  }

  /// Whether a later claim of the same replica was settled before.
  ///
  /// A file that was put back sends what it still holds behind what had been sent from it. By then
  /// its claim may no longer be from the future, and greater than everything that was written over
  /// the later one since.
  func isOvertaken(_ claim: Stamp, of field: FieldKey, in state: ServerState) -> Bool {
    guard let memories = state.restamps[field] else { return false }
    return memories.contains { $0.claimed.replica == claim.replica && claim < $0.claimed }
  }

  /// The stamp under which a claim is settled: the one it was settled under before; its own; or,
  /// where it is from the future, one of the server's clock, above `floor`.
  ///
  /// With `mayBeOvertaken` an earlier claim of a replica of which a later one was settled anew is
  /// settled anew, too.
  func settledStamp(
    _ claim: Stamp, floor: Stamp = .floor, mayBeOvertaken: Bool = false, of field: FieldKey,
    replica: ReplicaID, in state: inout ServerState, outcome: inout Outcome, time: Int64
  ) -> Stamp {
    if let known = remembered(claim, of: field, in: state) { return known }
    guard
      isFromFuture(claim, time: time)
        || mayBeOvertaken && isOvertaken(claim, of: field, in: state)
    else { return claim }
    return restamp(
      claim, floor: floor, of: field, in: &state, outcome: &outcome, replica: replica, time: time)
  }

  /// Settles a claim under the server's own clock, and remembers it.
  ///
  /// A claim below one that was settled before gets a stamp just below that one, so that a late
  /// resend keeps the order its writer gave; but never one below what its writer had seen.
  private func restamp(
    _ claim: Stamp, floor: Stamp, of field: FieldKey, in state: inout ServerState,
    outcome: inout Outcome, replica: ReplicaID, time: Int64
  ) -> Stamp {
    var above: Stamp?
    let isAnybodys = isFromFuture(claim, time: time)
    for memory in state.restamps[field] ?? [] where claim < memory.claimed {
      guard isAnybodys || memory.claimed.replica == claim.replica else { continue }
      above = min(above ?? memory.settled, memory.settled)
    }
    // A floor from the future would drag the server's own clock along; nobody has seen such a
    // value.
    let base = isFromFuture(floor, time: time) ? .floor : floor
    let settled =
      above.flatMap { Self.stamp(between: base, and: $0) }
      ?? serverStamp(above: base, in: &state, time: time)
    let memory = Restamp(claimed: claim, settled: settled, replica: replica)
    state.restamps[field, default: []].append(memory)
    outcome.restamps.append((field, memory))
    return settled
  }

  /// A stamp a millisecond below one, or closer where that would not be above the other; nil where
  /// there is no room.
  private static func stamp(between floor: Stamp, and ceiling: Stamp) -> Stamp? {
    let millisecond: UInt64 = 1 << 16
    let below = ceiling.time - min(ceiling.time, millisecond)
    let time = max(below, floor.time + 1)
    return time < ceiling.time ? Stamp(time: time, replica: ceiling.replica) : nil
  }

  /// A stamp of the server's own clock, greater than another.
  func serverStamp(above floor: Stamp, in state: inout ServerState, time: Int64) -> Stamp {
    state.clock.observe(floor)
    return state.clock.now(wall: time)
  }

  static func milliseconds(of time: Int64) -> UInt64 {
    UInt64(max(1, min(time, Int64(Stamp.latestMillisecond))))
  }
}

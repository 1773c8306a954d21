/// A count that was moved to a new replica id, and may be counted twice.
public struct Recount: Hashable, Sendable {
  /// The counter.
  public var field: Key
  /// Its rule.
  public var rule: MergeRule
  /// What was moved.
  public var amount: CounterTotal
  /// The stamp of the change that had counted it.
  public var stamp: Stamp

  /// What the counter shows with the amount counted.
  public var shown: Int64

  /// The conflict that the device writes of it, the only one it writes itself.
  ///
  /// A counter loses nothing otherwise. The value that was kept counts the amount, the one that
  /// lost does not.
  ///
  /// - Parameters:
  ///   - record: The record that the counter is of.
  ///   - device: The device, whose replica ids it is addressed to.
  ///   - time: The device's time in milliseconds.
  /// - Returns: The conflict, about the amount that may be counted twice.
  public func conflict(of record: RecordKey, on device: Device, time: Int64) -> ConflictEntry {
    let (once, overflow) = shown.subtractingReportingOverflow(amount.value)
    return ConflictEntry(
      id: ConflictEntry.id(of: record, field: field, losing: stamp), record: record, field: field,
      rule: rule.name, lost: .integer(overflow ? shown : once), lostOrigin: stamp,
      lostBy: device.account.user, kept: .integer(shown), keptOrigin: stamp, keptBy: nil,
      time: time, replicas: device.earlierReplicas + [device.replica])
  }
}

extension ConflictEntry {
  /// Whether it says that something may have been counted twice: the value that was kept counts it
  /// once more than the one that was not.
  ///
  /// The only conflict that a device writes itself; no count ever loses to another.
  public var mayBeCountedTwice: Bool {
    rule == MergeRule.counter.name || rule == MergeRule.growOnlyCounter.name
  }
}

extension DeviceRecord {
  /// Moves what the rows count under an earlier replica id to the present one, where another copy
  /// of the file has counted under the earlier id, too.
  ///
  /// Two copies that raise one total hide each other's counts: the server keeps the greater. What
  /// this file's rows add is taken out of them and counted in an operation of its own under the new
  /// id. Whether the server had settled it before nobody knows. Without such another copy nothing
  /// is changed. A row that was in flight gets new bytes; its id stays, for what else it says.
  ///
  /// - Parameters:
  ///   - told: The record as the renewal told it; nil where it did not.
  ///   - old: The replica id that was given up.
  ///   - id: A fresh operation id.
  ///   - context: The clock under the new replica id; it is advanced where anything moves.
  /// - Returns: What may be counted twice, by field.
  public mutating func recount(
    told: RecordState?, from old: ReplicaID, operation id: OperationID,
    context: inout WriteContext
  ) -> [Recount] {
    #if PLANTED
      if Planted.isActive(.recountSkipped) { return [] }
    #endif
    guard let told, told.deleted == nil, let view, view.deleted == nil else { return [] }
    let before = rows
    var moved: [Recount] = []
    for entry in told.fields.entries {
      // A page may have told of the other copy's count before the renewal came: what the rows had
      // counted from says more than what base knows by now.
      guard let known = firstShare(of: entry.name, by: old)?.before else { continue }
      let theirs = entry.value.counter[old]
      guard known.up < theirs.up || known.down < theirs.down else { continue }
      if let recount = takeShares(of: entry.name, by: old) { moved.append(recount) }
    }
    guard !moved.isEmpty else { return [] }
    rows.removeAll { $0.isIdle }
    var edits = FieldMap<FieldEdit>()
    for recount in moved {
      edits[recount.field] = .count(up: recount.amount.up, down: recount.amount.down)
    }
    do throws(WriteRefusal) {
      try change(edits, operation: id, context: &context)
    } catch {
      rows = before
      return []
    }
    #if PLANTED
      if Planted.isActive(.recountUntold) { return [] }
    #endif
    let shown = self.view?.fields
    for index in moved.indices {
      if let counter = shown?[moved[index].field]?.counter { moved[index].shown = counter.value }
    }
    return moved
  }

  /// The first total that the rows raise under a replica id.
  private func firstShare(of field: Key, by replica: ReplicaID) -> CounterShare? {
    for row in rows {
      guard case .total(let shares)? = row.operation.fields[field]?.detail,
        let share = shares.first(where: { $0.replica == replica })
      else { continue }
      return share
    }
    return nil
  }

  /// Takes what the rows count under a replica id out of a field.
  private mutating func takeShares(of field: Key, by replica: ReplicaID) -> Recount? {
    var recount: Recount?
    for index in rows.indices {
      guard let change = rows[index].operation.fields[field],
        case .total(let shares) = change.detail,
        let share = shares.first(where: { $0.replica == replica })
      else { continue }
      let rest = shares.filter { $0.replica != replica }
      if rest.isEmpty {
        rows[index].operation.fields[field] = nil
      } else {
        rows[index].operation.fields[field]?.detail = .total(rest)
      }
      rows[index].thaw()
      var sum =
        recount
        ?? Recount(
          field: field, rule: change.rule, amount: CounterTotal(), stamp: change.stamp, shown: 0)
      sum.amount = sum.amount.adding(up: share.up, down: share.down)
      recount = sum
    }
    return recount
  }
}

extension OutboxRow {
  /// Takes the row out of flight, to be marked and frozen again with what it says now.
  fileprivate mutating func thaw() {
    isInFlight = false
    bytes = []
    operation.digest = SHA256.Digest(first: 0, second: 0, third: 0, fourth: 0)
  }
}

/// The fields of one operation while they are settled, and what came of them.
struct FieldSettling {
  /// The operation.
  let operation: Operation
  /// The record before it.
  let before: RecordState
  /// The server's time in milliseconds.
  let time: Int64
  /// Who acts.
  let user: String
  /// The stamps under which fields were settled, where they differ from those sent.
  var settled = FieldMap<Stamp>()
  /// The values that lost to ones whose writers had not seen them.
  var conflicts: [Conflict] = []

  /// A value that lost, and the one that stands in its place.
  struct Conflict {
    /// The field.
    var field: Key
    /// Its rule.
    var rule: MergeRule
    /// The value that lost, under its stamps.
    var lost: FieldState
    /// The value that was kept; nil where the record is deleted.
    var kept: FieldState?
    /// Whether it is the operation's value that lost.
    var isOwn: Bool
  }

  /// Notes that a value lost, if that is one that its writer would want to know of.
  ///
  /// A seed loses silently, nobody decided it. The same content lost nothing. A device that writes
  /// once more knows what it wrote before.
  mutating func note(
    _ field: Key, rule: MergeRule, lost: FieldState, kept: FieldState?, isOwn: Bool
  ) {
    if lost.origin.isFloor { return }
    if let kept {
      if kept.value == lost.value { return }
      if kept.origin.replica == lost.origin.replica, lost.origin <= kept.origin { return }
    }
    #if PLANTED
      if Planted.isActive(.conflictNotRecorded) { return }
    #endif
    conflicts.append(Conflict(field: field, rule: rule, lost: lost, kept: kept, isOwn: isOwn))
  }
}

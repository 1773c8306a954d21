/// What becomes of records whose parents are deleted.
///
/// Nothing that lives refers, under `nullify` or `cascade`, to a record that is deleted: a child
/// that comes later is treated as one that was there. What is done to it is stamped just above what
/// it changes, so that whoever moved the child to another parent meanwhile wins.
extension Settlement {
  /// How many children are treated within one request; what is left follows in later ones.
  public static let childLimit = 500

  /// A field by which records of one table refer to those of another.
  public struct Referral: Hashable, Sendable {
    /// The children's table.
    public var table: Key
    /// Their field.
    public var field: Key
    /// What it is declared as.
    public var reference: Reference
  }

  /// Where records refer to those of a table in a way that asks something of the server.
  public func referrals(to table: Key) -> [Referral] {
    var found: [Referral] = []
    for entry in tables.entries {
      for field in entry.value.fields.entries {
        guard let reference = field.value.references, reference.table == table,
          reference.onDeletion != .keep
        else { continue }
        found.append(Referral(table: entry.name, field: field.name, reference: reference))
      }
    }
    return found
  }

  /// The parents of a record by which something may become of it.
  public func parents(of state: RecordState, in table: Key) -> [RecordKey] {
    guard let fields = tables[table]?.fields else { return [] }
    var parents: [RecordKey] = []
    for entry in fields.entries {
      guard let reference = entry.value.references, reference.onDeletion != .keep,
        let value = state.fields[entry.name]?.value,
        let parent = reference.parent(named: value), !parents.contains(parent)
      else { continue }
      parents.append(parent)
    }
    return parents
  }

  /// The parents that an operation may give its record, of which it must be known whether they are
  /// deleted.
  public func parents(of operation: Operation, on stored: StoredRecord?) -> [RecordKey] {
    var state = RecordState()
    // What a reviving edit leaves alone comes back, too.
    if let stored, stored.state.deleted != nil { state = stored.state }
    var parents = parents(of: state, in: operation.key.table)
    state.fields = operation.fields.mapValues { FieldState(value: $0.value, stamp: $0.stamp) }
    for parent in self.parents(of: state, in: operation.key.table)
    where !parents.contains(parent) {
      parents.append(parent)
    }
    return parents
  }

  /// Does to a record what its references say where a parent is deleted.
  func mend(_ state: inout RecordState, of key: RecordKey, in server: ServerState) {
    guard state.deleted == nil, let fields = tables[key.table]?.fields else { return }
    var lost: [(name: Key, field: FieldState)] = []
    for entry in fields.entries {
      guard let reference = entry.value.references, reference.onDeletion != .keep,
        let field = state.fields[entry.name],
        let parent = reference.parent(named: field.value), parent != key,
        server.isDeleted(parent)
      else { continue }
      if reference.onDeletion == .cascade {
        state.deleted = server.stamp(justAbove: state.greatestStamp)
        return
      }
      lost.append((entry.name, field))
    }
    for (name, field) in lost {
      state.fields[name] = FieldState(
        value: .null, stamp: nullStamp(above: field.stamp, in: server), merge: field.merge)
    }
  }

  private func nullStamp(above stamp: Stamp, in server: ServerState) -> Stamp {
    #if PLANTED
      if Planted.isActive(.nullifiedNow) {
        // As if the server had written it hours later: whatever came meanwhile loses.
        return Stamp(time: stamp.time + (1 << 40), replica: server.clock.replica)
      }
    #endif
    return server.stamp(justAbove: stamp)
  }

  /// Does to a loaded child what its references say.
  ///
  /// Of its parents it must be known which are deleted. The author of what changes is who deleted
  /// the parent.
  public func follow(
    _ child: RecordKey, in state: inout ServerState, outcome: inout Outcome, author: String
  ) {
    guard let stored = state.records[child] else { return }
    var after = stored.state
    mend(&after, of: child, in: state)
    guard after != stored.state else { return }
    raise(&after, key: child, feed: stored.feed, in: &state, outcome: &outcome, user: author)
    #if PLANTED
      if Planted.isActive(.oneLevel), outcome.openDeletions.last?.parent == child {
        outcome.openDeletions.removeLast()
        if state.isWhole { state.openDeletions.removeLast() }
      }
    #endif
  }

  /// Goes on with the deletions that are open, in a state that holds every record.
  func followAll(in state: inout ServerState, outcome: inout Outcome) {
    var left = Self.childLimit
    while let open = state.openDeletions.first {
      let children = state.isDeleted(open.parent) ? children(of: open.parent, in: state) : []
      for child in children.prefix(left) {
        follow(child, in: &state, outcome: &outcome, author: open.author)
      }
      if children.count > left { return }
      left -= children.count
      state.openDeletions.removeFirst()
    }
  }

  /// The living children of a record, in the order of their keys.
  private func children(of parent: RecordKey, in state: ServerState) -> [RecordKey] {
    let referrals = referrals(to: parent.table)
    var found: [RecordKey] = []
    for (key, stored) in state.records where stored.state.deleted == nil && key != parent {
      let refers = referrals.contains { referral in
        referral.table == key.table
          && stored.state.fields[referral.field].flatMap {
            referral.reference.parent(named: $0.value)
          } == parent
      }
      if refers { found.append(key) }
    }
    return found.sorted()
  }

  /// Notes that a record is deleted whose children have to be looked for.
  func noteDeletion(
    of key: RecordKey, before: RecordState?, after: RecordState, in state: inout ServerState,
    outcome: inout Outcome
  ) {
    guard after.deleted != nil, before?.deleted == nil, !referrals(to: key.table).isEmpty else {
      return
    }
    #if PLANTED
      if Planted.isActive(.childrenForgotten) { return }
    #endif
    let open = OpenDeletion(parent: key, author: after.author)
    if state.isWhole { state.openDeletions.append(open) }
    outcome.openDeletions.append(open)
  }
}

/// A deleted record whose children were not all looked for.
public struct OpenDeletion: Hashable, Sendable {
  /// The record.
  public var parent: RecordKey
  /// Who deleted it: the author of what becomes of its children.
  public var author: String

  /// Makes it of both.
  public init(parent: RecordKey, author: String) {
    self.parent = parent
    self.author = author
  }

  /// Whether both are the same; authors are compared by their bytes.
  public static func == (left: OpenDeletion, right: OpenDeletion) -> Bool {
    left.parent == right.parent && left.author.hasSameBytes(as: right.author)
  }

  /// Feeds the record.
  public func hash(into hasher: inout Hasher) { hasher.combine(parent) }
}

extension ServerState {
  /// Whether a record is known to be deleted, or purged.
  func isDeleted(_ key: RecordKey) -> Bool {
    if let stored = records[key] { return stored.state.deleted != nil }
    return gone.contains(key) || stubs.contains(key)
  }

  /// A stamp of the server's with nothing between it and another.
  func stamp(justAbove stamp: Stamp) -> Stamp {
    Stamp(
      time: min(stamp.time, Stamp.latestReadMillisecond << 16) + 1, replica: clock.replica)
  }
}

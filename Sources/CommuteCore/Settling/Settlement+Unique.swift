/// Unique keys: what `first` keeps, and what `sameRecord` demands of an id.
extension Settlement {
  /// What refuses a record for the sake of its keys.
  enum KeyRefusal {
    /// Another record of the feed has the key.
    case taken(UniqueKey, by: RecordID)
    /// The id does not come from the key.
    case otherID(UniqueKey)
    /// Who has the key was not loaded.
    case unknown
  }

  /// What stands for the keys that changes may give a record, which belongs to a feed.
  ///
  /// For each key that is all that its fields may hold afterwards. Who has them is to be loaded
  /// with the record.
  public func uniqueIdentities(
    of changes: FieldMap<FieldValue>, on stored: StoredRecord?, key: RecordKey, feed: Key
  ) -> [RecordID] {
    var found: [RecordID] = []
    for unique in tables[key.table]?.uniqueKeys ?? [] where unique.rule == .first {
      let isTouched = unique.fields.contains { changes[$0] != nil }
      guard isTouched || stored?.state.deleted != nil else { continue }
      // Any of the changes may lose to what is there.
      var choices: [[Key]] = [[]]
      for name in unique.fields { choices += choices.map { $0 + [name] } }
      for kept in choices {
        let identity = unique.identity(feed: feed, table: key.table) { name in
          let current = stored?.state.fields[name]?.value
          return kept.contains(name) ? current : changes[name] ?? current
        }
        if let identity, !found.contains(identity) { found.append(identity) }
      }
    }
    return found
  }

  /// What refuses the record that an operation or offer makes; nil for nothing.
  ///
  /// A key that the record has already is not looked at: it may be older than its declaration.
  func keyRefusal(
    of after: RecordState, before: RecordState?, key: RecordKey, feed: Key, in state: ServerState
  ) -> KeyRefusal? {
    guard after.deleted == nil else { return nil }
    for unique in tables[key.table]?.uniqueKeys ?? [] {
      let identity = unique.identity(of: after, feed: feed, table: key.table)
      if let before, before.deleted == nil,
        unique.identity(of: before, feed: feed, table: key.table) == identity
      {
        continue
      }
      switch unique.rule {
      case .sameRecord:
        #if PLANTED
          if Planted.isActive(.anyIDTaken) { continue }
        #endif
        if identity != key.id { return .otherID(unique) }
      case .first:
        guard let identity else { continue }
        #if PLANTED
          if Planted.isActive(.secondTaken) { continue }
        #endif
        guard let holders = holders(of: identity, unique, of: key, feed: feed, in: state) else {
          return .unknown
        }
        if let holder = holders.first(where: { $0 != key.id }) {
          return .taken(unique, by: holder)
        }
      }
    }
    return nil
  }

  /// The living records that have a key, in order; nil where that was not loaded.
  private func holders(
    of identity: RecordID, _ unique: UniqueKey, of key: RecordKey, feed: Key, in state: ServerState
  ) -> [RecordID]? {
    guard state.isWhole else { return state.holders[identity] }
    var holders: [RecordID] = []
    for (other, stored) in state.records
    where other.table == key.table && stored.feed == feed {
      #if PLANTED
        let isHeld = Planted.isActive(.keysNotFreed) || stored.state.deleted == nil
      #else
        let isHeld = stored.state.deleted == nil
      #endif
      if isHeld, unique.identity(of: stored.state, feed: feed, table: key.table) == identity {
        holders.append(other.id)
      }
    }
    return holders.sorted()
  }

  /// The verdict of a refusal for the sake of a key.
  func verdict(
    of refusal: KeyRefusal, on id: OperationID, key: RecordKey, before: RecordState?
  ) -> Verdict {
    let table = key.table.text
    var verdict: Verdict
    switch refusal {
    case .unknown: return Verdict(id: id, kind: .later(.unavailable, afterMilliseconds: 0))
    case .taken(let unique, let holder):
      let fields = UniqueKey.list(unique.fields)
      let words = "\(table): another record has this \(fields), \(holder.text)"
      verdict = Verdict(id: id, kind: .rejected(.taken, message: words))
      verdict.holder = holder
    case .otherID(let unique):
      let fields = UniqueKey.list(unique.fields)
      let words = "\(table): the record's id is not the one of its \(fields)"
      verdict = Verdict(id: id, kind: .rejected(.invalid, message: words))
    }
    verdict.revision = before?.revision
    verdict.record = before.map { RecordMessage(key: key, state: $0) }
    return verdict
  }

  /// Notes in a loaded state that a record gave up and took keys.
  func noteKeys(
    of key: RecordKey, feed: Key, before: RecordState?, after: RecordState,
    in state: inout ServerState
  ) {
    if state.isWhole { return }
    for unique in tables[key.table]?.uniqueKeys ?? [] where unique.rule == .first {
      if let before, before.deleted == nil,
        let identity = unique.identity(of: before, feed: feed, table: key.table)
      {
        state.holders[identity]?.removeAll { $0 == key.id }
      }
      if after.deleted == nil,
        let identity = unique.identity(of: after, feed: feed, table: key.table)
      {
        state.holders[identity]?.append(key.id)
      }
    }
  }

  /// What is refused where both ends declare references or keys of the changed fields differently;
  /// nil where they agree.
  func declarationRefusal(
    of operation: Operation, record: RecordState?
  ) -> Verdict? {
    #if PLANTED
      if Planted.isActive(.declarationsIgnored) { return nil }
    #endif
    let table = operation.key.table
    let known = tables[table]?.declarations(of: operation.fields.names) ?? []
    guard known != operation.declares else { return nil }
    let theirs = operation.declares.first { !known.contains($0) }
    let ours = known.first { !operation.declares.contains($0) }
    return rejection(
      of: operation, .rule,
      "\(table.text): the device knows \(Self.quoted(theirs)), the server \(Self.quoted(ours))",
      record: record)
  }

  private static func quoted(_ line: Key?) -> String {
    line.map { "'\($0.text)'" } ?? "no such declaration"
  }
}

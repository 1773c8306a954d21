/// What the server decides about the operations of one request.
///
/// The decision is made in memory on rows that were read under lock; it touches no disk and no
/// clock. One bad operation never fails its neighbours.
public struct Settlement: Sendable {
  /// What a request names, to be loaded before it is settled.
  public struct Needs: Sendable {
    /// Records, in the order in which they are locked.
    public var records: [RecordKey]
    /// Operations.
    public var operations: [OperationID]
    /// Fields whose memory of restamped claims is wanted.
    public var fields: [FieldKey]
    /// Feeds, in the order in which they are locked.
    public var feeds: [Key]
    /// The replica whose last request is wanted.
    public var replica: ReplicaID
    /// Replicas of which it is wanted whether they are retired.
    public var writers: [ReplicaID]
    /// Whether the ancestry is wanted.
    public var wantsAncestry: Bool
  }

  /// What was decided, and which rows have to be written.
  public struct Outcome: Sendable {
    /// Whether the operations were judged at all.
    public var isSettled = true
    /// Told to a replica whose request number was used before.
    public var renews = false
    /// The verdicts, one for each offer and operation.
    public var verdicts: [Verdict] = []
    /// Records with a new revision.
    public var changedRecords: [RecordKey] = []
    /// Operations to remember.
    public var appliedOperations: [OperationID] = []
    /// Claims to remember, in addition to those loaded.
    public var restamps: [(field: FieldKey, memory: Restamp)] = []
    /// Feeds whose head has risen.
    public var raisedFeeds: [Key] = []
    /// Records that were deleted and whose children are to be looked for.
    public var openDeletions: [OpenDeletion] = []
    /// Whether the request's number and nonce are to be remembered.
    public var notesRequest = false

    /// Makes an outcome of nothing.
    public init() {}
  }

  /// The tables the server knows; one it does not know is kept and relayed with `latest`.
  public var tables: FieldMap<TableSchema>
  /// The server's own rules: what they have against a proposal; nil for nothing.
  public var validate: (@Sendable (Proposal) -> Objection?)?

  /// Whether offers are taken; where the store does not load what they need, they come later.
  public var takesOffers: Bool
  /// For how long after an epoch ended its records are taken, in milliseconds.
  public var retention: Int64

  /// Makes a settlement for a server that knows these tables and has these rules.
  public init(
    tables: FieldMap<TableSchema> = FieldMap(), takesOffers: Bool = false,
    retention: Int64 = Purge.defaultRetention,
    validate: (@Sendable (Proposal) -> Objection?)? = nil
  ) {
    self.tables = tables
    self.takesOffers = takesOffers
    self.retention = retention
    self.validate = validate
  }

  /// The rows that settling a request reads.
  public static func needs(of request: SyncRequest) -> Needs {
    var records: Set<RecordKey> = []
    var fields: [FieldKey] = []
    var operations: [OperationID] = []
    var feeds: Set<Key> = []
    var writers: Set<ReplicaID> = []
    for part in request.feeds { feeds.insert(part.feed) }
    for offer in request.offers {
      records.insert(offer.record.key)
      feeds.insert(offer.feed)
    }
    for sent in request.operations {
      let operation = sent.operation
      records.insert(operation.key)
      for key in operation.needs { records.insert(key) }
      operations.append(operation.id)
      if request.again.contains(operation.id) { writers.insert(operation.replica) }
      feeds.insert(operation.feed)
      for entry in operation.fields.entries {
        fields.append(FieldKey(record: operation.key, field: entry.name))
      }
      if operation.deleted != nil { fields.append(FieldKey(record: operation.key, field: "")) }
    }
    return Needs(
      records: records.sorted(), operations: operations, fields: fields, feeds: feeds.sorted(),
      replica: request.replica, writers: writers.sorted(),
      wantsAncestry: !request.offers.isEmpty)
  }

  /// Settles the operations of a request.
  ///
  /// - Parameters:
  ///   - request: The request; its owner was compared with the token's subject before.
  ///   - state: The loaded rows; left as they are to be written.
  ///   - time: The server's time in milliseconds.
  ///   - user: Who acts; the author of what changes.
  /// - Returns: The verdicts, and which rows were changed.
  public func settle(
    _ request: SyncRequest, in state: inout ServerState, time: Int64, user: String
  ) -> Outcome {
    var outcome = Outcome()
    let carries = !request.operations.isEmpty || !request.offers.isEmpty
    if carries, let last = state.requests[request.replica], request.number <= last.number,
      !(request.number == last.number && request.nonce == last.nonce)
    {
      outcome.isSettled = false
      outcome.renews = true
      return outcome
    }
    if let epoch = request.epoch, epoch != state.epoch {
      outcome.isSettled = false
      return outcome
    }
    if isCountedElsewhere(request, in: state) {
      outcome.isSettled = false
      outcome.renews = true
      return outcome
    }
    let isRepeated = carries && state.requests[request.replica]?.number == request.number
    if carries {
      state.requests[request.replica] = LastRequest(number: request.number, nonce: request.nonce)
      outcome.notesRequest = true
    }
    for offer in request.offers {
      outcome.verdicts.append(
        judge(offer, of: request, in: &state, outcome: &outcome, time: time, user: user))
    }
    let place = outcome.verdicts.count
    for sent in request.operations {
      if isRepeated, let wait = Self.wait(of: sent.operation, in: state) {
        outcome.verdicts.append(wait)
        continue
      }
      outcome.verdicts.append(
        judge(sent.operation, of: request, in: &state, outcome: &outcome, time: time, user: user))
    }
    judgeWaiting(from: place, of: request, in: &state, outcome: &outcome, time: time, user: user)
    if state.isWhole { followAll(in: &state, outcome: &outcome) }
    return outcome
  }

  /// What is said of an operation where its request comes again and has not settled it; nil where
  /// it has.
  ///
  /// A network may bring a request twice. The device may have heard the first answer, and takes for
  /// unsent what had to wait by it: settled now, it would be settled once more by what comes next.
  private static func wait(of operation: Operation, in state: ServerState) -> Verdict? {
    if state.operations[operation.id] != nil { return nil }
    return Verdict(id: operation.id, kind: .later(.unavailable, afterMilliseconds: 1_000))
  }

  /// Judges one operation: everything that can refuse it first, then its settling.
  ///
  /// What it needs may also be one of `besides`, which are settled together with it.
  func judge(
    _ operation: Operation, of request: SyncRequest, besides: Set<RecordKey> = [],
    in state: inout ServerState, outcome: inout Outcome, time: Int64, user: String
  ) -> Verdict {
    let id = operation.id
    let stored = state.records[operation.key]
    if let refusal = feedRefusal(of: id, operation.feed, request: request, in: state) {
      return refusal
    }
    if let before = state.operations[id], !isDedupeOff {
      // Whoever is told no record would take what it has sent for it.
      guard stored != nil else {
        return rejection(of: operation, .gone, "the record was deleted long ago")
      }
      guard before.digest == operation.digest else {
        // A record of another feed is not told: whether the user may read it is not known here.
        let told = stored.flatMap { $0.feed == operation.feed ? $0.state : nil }
        return rejection(
          of: operation, .mismatch, "the same operation id came with other bytes", record: told)
      }
      return Verdict(
        id: id, kind: .duplicate, revision: stored?.state.revision,
        record: stored.map { RecordMessage(key: operation.key, state: $0.state) })
    }
    #if PLANTED
      // Without the memory, what comes again is done again: a creation makes another record.
      if stored != nil, operation.creates, state.operations[id] != nil {
        var another = operation
        another.key.id = RecordID(high: operation.key.id.high ^ 1, low: operation.key.id.low)
        return apply(
          another, to: state.records[another.key], in: &state, outcome: &outcome, time: time,
          user: user)
      }
    #endif
    if let refusal = expiry(of: operation, request: request, stored: stored, in: state) {
      return refusal
    }
    if let refusal = refusal(of: operation, request: request, stored: stored, in: state) {
      return refusal
    }
    // What was refused earlier in this request is not there, unless somebody else made it.
    if !missing(of: operation, in: state).isSubset(of: besides) {
      return Verdict(id: id, kind: .later(.needs, afterMilliseconds: 5_000))
    }
    return apply(operation, to: stored, in: &state, outcome: &outcome, time: time, user: user)
  }

  /// What refuses an operation before it is settled; nil if nothing does.
  private func refusal(
    of operation: Operation, request: SyncRequest, stored: StoredRecord?, in state: ServerState
  ) -> Verdict? {
    if let stored, stored.feed != operation.feed {
      // Whether the user may read that feed is not known here.
      return rejection(of: operation, .feed, "the record belongs to another feed")
    }
    if stored == nil {
      if state.hasStub(of: operation.key) {
        return rejection(of: operation, .gone, "the record was deleted long ago")
      }
      if !operation.creates {
        return rejection(of: operation, .gone, "the server does not have this record")
      }
    }
    if !request.feeds.contains(where: { $0.feed == operation.feed }) {
      return rejection(
        of: operation, .feed, "the request does not ask about the feed \(operation.feed.text)",
        record: stored?.state)
    }
    return schemaRefusal(of: operation, request, stored: stored, in: state)
  }

  /// What the declared tables refuse: rules that differ, values of another kind.
  private func schemaRefusal(
    of operation: Operation, _ request: SyncRequest, stored: StoredRecord?,
    in state: ServerState
  ) -> Verdict? {
    let table = operation.key.table
    if let refusal = declarationRefusal(of: operation, record: stored?.state) { return refusal }
    if operation.revives != nil, rule(of: table) != .editRevives {
      return rejection(
        of: operation, .rule,
        "\(table.text): the device knows the rule editRevives, the server deleteWins",
        record: stored?.state)
    }
    for entry in operation.fields.entries {
      let known = tables[table]?.fields[entry.name]
      let rule = known?.rule ?? .latest
      if let theirs = Self.otherRule(of: entry.value, than: rule) {
        return rejection(
          of: operation, .rule,
          "\(table.text).\(entry.name.text): the device knows the rule \(theirs), the server"
            + " \(rule.name.text)",
          record: stored?.state)
      }
      if let share = Self.foreignShare(of: entry.value, in: operation, request, state) {
        return rejection(
          of: operation, .forbidden,
          "\(table.text).\(entry.name.text): the total of the replica \(share.text) is another"
            + " device's",
          record: stored?.state)
      }
      guard let field = known, !rule.isSummed else { continue }
      guard field.admits(entry.value.value) else {
        return rejection(
          of: operation, .kind,
          "\(table.text).\(entry.name.text) takes \(field.kind.name.text)", record: stored?.state)
      }
    }
    return nil
  }

  /// The rule that a device meant, where it is another one: said by `rule`, or told by the member
  /// that only it has.
  private static func otherRule(of change: OperationField, than rule: MergeRule) -> String? {
    if let name = change.others["rule"] { return String(decoding: name, as: UTF8.self) }
    if change.rule != rule { return change.rule.name.text }
    switch change.detail {
    case .none: return nil
    case .total: return rule.isCounter ? nil : "of 'total'"
    case .tags: return rule == .set ? nil : "of 'tags'"
    case .replaces: return rule == .keepBoth ? nil : "of 'replaces'"
    }
  }

  /// A replica whose total the change raises although it is not one of the sending device's.
  ///
  /// The seed's total is nobody's and may come with any change.
  private static func foreignShare(
    of change: OperationField, in operation: Operation, _ request: SyncRequest,
    _ state: ServerState
  ) -> ReplicaID? {
    guard case .total(let shares) = change.detail else { return nil }
    for share in shares where share.replica != CounterState.seed {
      let isOwn =
        share.replica == request.replica || share.replica == operation.replica
        || request.replicas.contains(share.replica)
      // A device may name any replica as one of its own; whose it is the server has noted.
      if !isOwn || state.foreign.contains(share.replica) { return share.replica }
    }
    return nil
  }

  func rejection(
    of operation: Operation, _ code: RejectionCode, _ message: String, record: RecordState? = nil
  ) -> Verdict {
    Verdict(
      id: operation.id, kind: .rejected(code, message: message), revision: record?.revision,
      record: record.map { RecordMessage(key: operation.key, state: $0) })
  }

  /// Whether the planted bug forgets what was applied.
  private var isDedupeOff: Bool {
    #if PLANTED
      return Planted.isActive(.noDedupe)
    #else
      return false
    #endif
  }
}

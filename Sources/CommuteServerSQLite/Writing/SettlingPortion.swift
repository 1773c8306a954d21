import CommuteCore
import CommuteServer
import CommuteSQLite

/// The part of a request that is settled at once, with the rows it needs.
///
/// Where the stored records together take more than a limit, the rest is told to come later; see
/// ``ServerSQLiteSettings/touchedBytesLimit``.
struct SettlingPortion {
  /// The request with the offers and operations that are settled.
  var request: SyncRequest
  /// The rows they need.
  var state: ServerState
  /// The offers and operations that are not settled now.
  var postponed: [OperationID] = []
  private let tenant: String
  private let limit: Int
  private let index: RecordIndex
  private var bytes = 0
  private var hasRestamps = true
  private var hasStubs = true

  /// Loads the rows, until enough are loaded.
  init(
    of request: SyncRequest, account: Account, rules: ServerRules, meta: ServerMeta, limit: Int,
    index: RecordIndex, on connection: Connection
  ) throws(StoreFailure) {
    self.request = request
    self.limit = limit
    self.index = index
    tenant = account.tenant
    state = ServerState(
      epoch: meta.epoch, clock: HybridClock(replica: meta.replica, last: meta.clock))
    state.isWhole = false
    try loadPlaces(of: account, rules: rules, on: connection)
    try loadOffered(on: connection)
    try loadRecords(on: connection)
    try loadNeeds(on: connection)
  }

  /// Loads the device's last request, the heads of the feeds that are written, what is applied, and
  /// what is known of the past.
  private mutating func loadPlaces(
    of account: Account, rules: ServerRules, on connection: Connection
  ) throws(StoreFailure) {
    let request = request
    try StoreFailure.wrap { () throws(SQLiteError) in
      (hasRestamps, hasStubs) = try connection.loadRarities(tenant: tenant)
      let last = try connection.loadRequest(
        of: request.replica, tenant: tenant, user: account.user)
      if let last { state.requests[request.replica] = last }
      for sent in request.operations {
        let id = sent.operation.id
        let found = try connection.loadOperation(id, tenant: tenant, epoch: state.epoch)
        if let found { state.operations[id] = found }
      }
      // Feeds that are only asked about are read with their pages.
      let feeds = request.offers.map(\.feed) + request.operations.map(\.operation.feed)
      for feed in feeds where state.heads[feed] == nil {
        state.heads[feed] = try connection.loadHead(feed, of: account, rules: rules)
      }
      if !request.offers.isEmpty { state.ancestry = try connection.loadAncestry(tenant: tenant) }
      for sent in request.operations {
        for replica in sent.operation.countingReplicas
        where try connection.isForeign(replica, to: account) {
          state.foreign.insert(replica)
        }
      }
      let again = Set(request.again)
      for sent in request.operations where again.contains(sent.operation.id) {
        let writer = sent.operation.replica
        if try connection.isRetired(writer, tenant: tenant) { state.retired.insert(writer) }
      }
    }
  }

  private mutating func loadOffered(on connection: Connection) throws(StoreFailure) {
    for (index, offer) in request.offers.enumerated() {
      let size = max(offer.record.encoded.count, offer.record.state.approximateSize)
      guard try load(offer.record.key, with: size, isFirst: index == 0, on: connection) else {
        postponed = request.offers[index...].map(\.id) + request.operations.map(\.operation.id)
        request.offers.removeSubrange(index...)
        request.operations = []
        return
      }
      try loadFamily(of: offer, on: connection)
    }
  }

  private mutating func loadRecords(on connection: Connection) throws(StoreFailure) {
    for (index, sent) in request.operations.enumerated() {
      let isFirst = index == 0 && request.offers.isEmpty
      let isLoaded = try load(
        sent.operation.key, with: sent.bytes.count, isFirst: isFirst, on: connection)
      if !isLoaded {
        postponed = request.operations[index...].map(\.operation.id)
        request.operations.removeSubrange(index...)
        return
      }
      let stored = state.records[sent.operation.key]
      for conflict in Settlement.conflicts(of: sent.operation, on: stored) {
        try loadConflict(conflict, on: connection)
      }
      try loadFamily(of: sent.operation, on: connection)
    }
  }

  /// Loads what must be known of other records for the sake of references and unique keys.
  private mutating func loadFamily(
    of operation: CommuteCore.Operation, on connection: Connection
  ) throws(StoreFailure) {
    let key = operation.key
    guard index.covers(key.table) else { return }
    let stored = state.records[key]
    try loadParents(index.settlement.parents(of: operation, on: stored), on: connection)
    let values = operation.fields.mapValues { $0.value }
    try loadHolders(
      index.settlement.uniqueIdentities(of: values, on: stored, key: key, feed: operation.feed),
      on: connection)
  }

  private mutating func loadFamily(
    of offer: SyncRequest.Offer, on connection: Connection
  ) throws(StoreFailure) {
    let key = offer.record.key
    guard index.covers(key.table) else { return }
    let stored = state.records[key]
    let offered = offer.record.state
    for state in [offered, stored?.state ?? offered] {
      try loadParents(index.settlement.parents(of: state, in: key.table), on: connection)
    }
    let values = offered.fields.mapValues { $0.value }
    try loadHolders(
      index.settlement.uniqueIdentities(of: values, on: stored, key: key, feed: offer.feed),
      on: connection)
  }

  private mutating func loadParents(
    _ parents: [RecordKey], on connection: Connection
  ) throws(StoreFailure) {
    for parent in parents where state.records[parent] == nil {
      let isDeleted = try StoreFailure.wrap { () throws(SQLiteError) in
        try connection.isDeleted(parent, tenant: tenant)
      }
      switch isDeleted {
      case true?: state.gone.insert(parent)
      case false?: continue
      case nil: try loadStub(parent, on: connection)
      }
    }
  }

  private mutating func loadHolders(
    _ identities: [RecordID], on connection: Connection
  ) throws(StoreFailure) {
    for identity in identities where state.holders[identity] == nil {
      state.holders[identity] = try StoreFailure.wrap { () throws(SQLiteError) in
        try connection.holders(of: identity, tenant: tenant)
      }
    }
  }

  /// Loads a record, or its stub, and what is remembered of its stamps, where there is room for it.
  ///
  /// What a verdict carries is no larger than what is stored and what comes for it together.
  private mutating func load(
    _ key: RecordKey, with size: Int, isFirst: Bool, on connection: Connection
  ) throws(StoreFailure) -> Bool {
    guard state.records[key] == nil else { return true }
    if let (record, stored) = try connection.loadRecord(key, tenant: tenant) {
      bytes += stored + size
      guard isFirst || bytes <= limit else { return false }
      state.records[key] = record
    } else {
      try loadStub(key, on: connection)
    }
    guard hasRestamps else { return true }
    for (field, memories) in try connection.loadRestamps(key, tenant: tenant) {
      state.restamps[FieldKey(record: key, field: field)] = memories
    }
    return true
  }

  /// Loads a conflict that settling might find once more.
  private mutating func loadConflict(
    _ key: RecordKey, on connection: Connection
  ) throws(StoreFailure) {
    if let (record, _) = try connection.loadRecord(key, tenant: tenant) {
      state.records[key] = record
    } else {
      try loadStub(key, on: connection)
    }
  }

  private mutating func loadStub(
    _ key: RecordKey, on connection: Connection
  ) throws(StoreFailure) {
    guard hasStubs else { return }
    let isStub = try StoreFailure.wrap { () throws(SQLiteError) in
      try connection.isStub(key, tenant: tenant)
    }
    if isStub { state.stubs.insert(key) }
  }

  /// Of records that others only need it counts that they are there.
  private mutating func loadNeeds(on connection: Connection) throws(StoreFailure) {
    var seen = Set(request.operations.map(\.operation.key) + request.offers.map(\.record.key))
    for sent in request.operations {
      for key in sent.operation.needs where seen.insert(key).inserted {
        let isDeleted = try StoreFailure.wrap { () throws(SQLiteError) in
          try connection.isDeleted(key, tenant: tenant)
        }
        if isDeleted == nil {
          try loadStub(key, on: connection)
        } else {
          state.present.insert(key)
        }
      }
    }
  }

  /// Puts the record into the verdict of an operation that was raised to the present schema.
  func tell(_ verdict: inout Verdict) {
    guard verdict.kind == .applied, verdict.record == nil,
      let sent = request.operations.first(where: { $0.operation.id == verdict.id }),
      let stored = state.records[sent.operation.key]
    else { return }
    verdict.record = RecordMessage(key: sent.operation.key, state: stored.state)
  }
}

import CommuteCore
import CommuteSQLite

/// The part of a request that is settled at once, with the rows it needs.
///
/// Where the stored records together take more than a limit, the rest is told to come later; see
/// ``ServerSQLiteSettings/touchedBytesLimit``.
struct SettlingPortion {
  /// The request with the operations that are settled.
  var request: SyncRequest
  /// The rows they need.
  var state: ServerState
  /// The operations that are not settled now.
  var postponed: [OperationID] = []
  private var hasRestamps = true
  private var hasStubs = true

  /// Loads the rows, until enough are loaded.
  init(
    of request: SyncRequest, tenant: String, user: String, meta: ServerMeta, limit: Int,
    on connection: Connection
  ) throws(StoreFailure) {
    self.request = request
    state = ServerState(
      epoch: meta.epoch, clock: HybridClock(replica: meta.replica, last: meta.clock))
    try loadPlaces(tenant: tenant, user: user, on: connection)
    try loadRecords(tenant: tenant, limit: limit, on: connection)
    try loadNeeds(tenant: tenant, on: connection)
  }

  /// Loads the device's last request, the heads of the feeds that are written, and what is applied.
  private mutating func loadPlaces(
    tenant: String, user: String, on connection: Connection
  ) throws(StoreFailure) {
    let request = request
    try StoreFailure.wrap { () throws(SQLiteError) in
      (hasRestamps, hasStubs) = try connection.loadRarities(tenant: tenant)
      let last = try connection.loadRequest(of: request.replica, tenant: tenant, user: user)
      if let last { state.requests[request.replica] = last }
      for sent in request.operations {
        let operation = sent.operation
        let found = try connection.loadOperation(
          operation.id, tenant: tenant, epoch: state.epoch)
        if let found { state.operations[operation.id] = found }
        // Feeds that are only asked about are read with their pages.
        guard state.heads[operation.feed] == nil else { continue }
        state.heads[operation.feed] = try connection.loadHead(
          operation.feed, tenant: tenant, user: user)
      }
    }
  }

  private mutating func loadRecords(
    tenant: String, limit: Int, on connection: Connection
  ) throws(StoreFailure) {
    var bytes = 0
    for (index, sent) in request.operations.enumerated() {
      let key = sent.operation.key
      guard state.records[key] == nil else { continue }
      if let (record, size) = try connection.loadRecord(key, tenant: tenant) {
        // The merged record that a verdict carries is no larger than both together.
        bytes += size + sent.bytes.count
        guard index == 0 || bytes <= limit else { return postpone(from: index) }
        state.records[key] = record
      } else {
        try loadStub(key, tenant: tenant, on: connection)
      }
      guard hasRestamps else { continue }
      for (field, memories) in try connection.loadRestamps(key, tenant: tenant) {
        state.restamps[FieldKey(record: key, field: field)] = memories
      }
    }
  }

  private mutating func postpone(from index: Int) {
    postponed = request.operations[index...].map { $0.operation.id }
    request.operations.removeSubrange(index...)
  }

  private mutating func loadStub(
    _ key: RecordKey, tenant: String, on connection: Connection
  ) throws(StoreFailure) {
    guard hasStubs else { return }
    let isStub = try StoreFailure.wrap { () throws(SQLiteError) in
      try connection.isStub(key, tenant: tenant)
    }
    if isStub { state.stubs.insert(key) }
  }

  /// Of records that others only need it counts that they are there.
  private mutating func loadNeeds(
    tenant: String, on connection: Connection
  ) throws(StoreFailure) {
    var seen = Set(request.operations.map { $0.operation.key })
    for sent in request.operations {
      for key in sent.operation.needs where seen.insert(key).inserted {
        let feed = try StoreFailure.wrap { () throws(SQLiteError) in
          try connection.feed(of: key, tenant: tenant)
        }
        if let feed {
          state.records[key] = StoredRecord(feed: feed, state: RecordState())
        } else {
          try loadStub(key, tenant: tenant, on: connection)
        }
      }
    }
  }
}

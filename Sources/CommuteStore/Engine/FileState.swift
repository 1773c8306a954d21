import CommuteCore

/// What one row of `c_meta` holds beside the ``Device``.
struct FileMeta: Hashable, Sendable {
  var schemaName: String
  var schemaVersion: UInt64
  var schemaText: String
  var boot: String
  var cleanEnd = false
  var retry: StoredRetry?
  var retryFailures: UInt32 = 0
  /// How many operations the latest request was to carry at most; nil where there was none.
  var batch: Int64?
  var syncedAt: Int64?
  var device: String
  var server: String?
  var notes: FieldMap<String> = FieldMap()
}

/// When to try again, as it is kept over restarts.
struct StoredRetry: Hashable, Sendable {
  var failure: RoundFailure
  /// The wall clock of the next attempt.
  var due: Int64
  /// The monotonic clock of the next attempt, under `boot`.
  var monotonic: Int64
  var boot: String
  /// Milliseconds that were left when it was stored.
  var remaining: Int64
}

/// Everything of the file that a transaction may change and a rollback must undo, in memory.
struct FileState: Sendable {
  var device: Device
  var meta: FileMeta
  /// Feeds that were taken away and not asked for since, with the server's reasons.
  var revoked: FieldMap<String> = FieldMap()
  /// The place of the next row of the outbox.
  var nextPosition: Int64
  /// The clock in the last row of the outbox: it need not be saved once more.
  var clockInOutbox: UInt64 = 0
  /// The clock in `c_meta`.
  var clockInMeta: UInt64
  /// What this transaction changed so far, where somebody observes.
  var changes: [CommittedChange] = []
  /// The rows that left the outbox in this transaction.
  var goneRows: [(id: RecordID, place: Int64)] = []
  /// Records that this transaction offers no longer.
  var goneOffers: [RecordID] = []
  /// Whether this transaction put rows into the outbox.
  var queued = false
  /// Whether this transaction changed a setting.
  var preferencesChanged = false
  /// What others asked to be called for once this transaction is permanent.
  var committed: [@Sendable () -> Void] = []
}

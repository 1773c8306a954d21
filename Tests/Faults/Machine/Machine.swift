import CommuteCore
import CommuteStore

/// A device in a trial: its folder, its store while that is open, and a clock that stands still.
///
/// Everything it does is the same each time: the clock never moves, ids come from a seed.
actor Machine {
  let folder: String
  let boot: String
  private(set) var store: Store?
  private var round: OutgoingRound?
  private var tables: [any TableDeclaration] = [Book.table, Note.table]
  private var version: UInt64 = 1
  private var revision: UInt64 = 0

  init(folder: String, boot: String = "boot-1") {
    self.folder = folder
    self.boot = boot
  }

  /// The database file.
  nonisolated var database: String { "\(folder)/device/commute.db" }

  /// Opens the store; `isNewer` with the app's next version, which has one more column.
  func open(isNewer: Bool = false) throws(StoreError) {
    if isNewer {
      tables = [NewerBook.table, Note.table]
      version = 2
    }
    var options = StoreOptions(deviceName: "laptop")
    options.schemaVersion = version
    options.randomSeed = 7
    options.hostDirectory = "\(folder)/hosts"
    options.readerCount = 1
    let boot = boot
    options.clock = StoreClock(
      wall: { 1_700_000_000_000 }, monotonic: { 5_000 }, bootID: { boot })
    store = try Store(
      "\(folder)/device", tables: tables, migrations: isNewer ? Self.steps : [], options: options)
  }

  /// What the next version does once: two steps, so that one may have run without the other.
  private static let steps = [
    StoreMigration("v2-own-table") { tx in
      try tx.execute("CREATE TABLE own(number INTEGER PRIMARY KEY, title TEXT)")
      try tx.execute("INSERT INTO own(title) SELECT title FROM book")
    },
    StoreMigration("v2-own-ids") { tx in
      try tx.backfillIDs(in: "own") { row in id(UInt64(row.int64(0))) }
    },
  ]

  /// Closes the store; nothing is open afterwards.
  func close() async {
    await store?.close()
    store = nil
  }

  /// The store, which a step needs open.
  func opened() throws(StoreError) -> Store {
    guard let store else { throw .closed }
    return store
  }

  /// Marks what waits, and keeps the round for its answer.
  func mark(_ batch: Int = 10) async throws(StoreError) {
    round = try await opened().beginRound(batch: batch)
  }

  /// Applies an answer to the round that was marked.
  func answer(
    _ kind: Verdict.Kind = .applied, records: [RecordMessage] = [], feed: Key = "books"
  ) async throws(StoreError) {
    guard let round else { throw .closed }
    var verdicts: [Verdict] = []
    for sent in round.request.operations {
      revision += 1
      let isSettled = kind == .applied || kind == .duplicate
      verdicts.append(
        Verdict(
          id: sent.operation.id, kind: kind,
          revision: isSettled ? Revision(epoch: Self.epoch, number: revision) : nil,
          record: kind == .duplicate ? Self.told(sent.operation, revision: revision) : nil))
    }
    let last = records.last?.state.revision?.number ?? revision
    revision = max(revision, last)
    var answer = SyncAnswer(
      epoch: Self.epoch, time: 1_700_000_000_000, nonce: round.request.nonce, verdicts: verdicts)
    answer.feeds = [
      SyncAnswer.Feed(feed: feed, grant: 1, cursor: revision, records: records)
    ]
    _ = try await opened().apply(answer, roundTrip: 10)
  }

  static let epoch = Epoch(rawValue: 9)

  /// The record as a server tells it that took the operation.
  private static func told(_ operation: Operation, revision: UInt64) -> RecordMessage {
    var state = RecordState(
      revision: Revision(epoch: epoch, number: revision), author: "local")
    for entry in operation.fields.entries {
      state.fields[entry.name] = FieldState(value: entry.value.value, stamp: entry.value.stamp)
    }
    return RecordMessage(key: operation.key, state: state)
  }

  /// Records as another device wrote them, numbered on from what the server told last.
  func foreign(
    _ ids: ClosedRange<UInt64>, table: Key = "book", _ fields: FieldMap<FieldValue>,
    deleted: Bool = false
  ) -> [RecordMessage] {
    ids.enumerated().map { index, number in
      let stamp = Stamp(
        milliseconds: 1_699_000_000_000 + number, counter: 1, replica: ReplicaID(rawValue: 77))
      var state = RecordState(
        revision: Revision(epoch: Self.epoch, number: revision + UInt64(index) + 1),
        author: "local")
      for entry in fields.entries {
        state.fields[entry.name] = FieldState(value: entry.value, stamp: stamp)
      }
      if deleted { state.deleted = stamp }
      return RecordMessage(key: RecordKey(table: table, id: id(number)), state: state)
    }
  }
}

import CommuteCore
import CommuteServer
import CommuteSQLite

/// A question that waits to be read.
enum ReadingJob: Sendable {
  /// Who the server is.
  case identity(CheckedContinuation<Result<ServerIdentity, ServerStoreError>, Never>)
  /// The pages of a request that is settled, or had nothing to settle.
  case answer(Reading, CheckedContinuation<Result<SyncAnswer, ServerStoreError>, Never>)

  /// What is to be read.
  struct Reading: Sendable {
    var request: SyncRequest
    var account: Account
    var time: Int64
    var settled: SettledRequest
  }
}

/// Reads pages on a thread of its own, each answer in one snapshot.
struct ServerReader: ~Copyable {
  /// What the server's own replica is called where it settled a stamp.
  static let ownName = "server"

  private let connection: Connection
  private let rules: ServerRules
  private let line: WorkLine<ReadingJob>

  init(connection: Connection, rules: ServerRules, line: WorkLine<ReadingJob>) {
    self.connection = connection
    self.rules = rules
    self.line = line
  }

  /// Works until the line is closed and empty.
  func run() {
    while true {
      switch line.take(atMost: 1) {
      case .jobs(let jobs): for job in jobs { work(job) }
      case .nothing: continue
      case .end:
        connection.close()
        return
      }
    }
  }

  private func work(_ job: ReadingJob) {
    switch job {
    case .identity(let done):
      done.resume(
        returning: result { (meta) throws(SQLiteError) in meta.identity })
    case .answer(let reading, let done):
      done.resume(
        returning: result { (meta) throws(SQLiteError) in try answer(reading, meta: meta) })
    }
  }

  /// Runs the body in a snapshot.
  private func result<Value>(
    _ body: (ServerMeta) throws(SQLiteError) -> Value
  ) -> Result<Value, ServerStoreError> {
    do throws(StoreFailure) {
      return .success(
        try connection.transaction(.deferred) { () throws(StoreFailure) in
          let found = try StoreFailure.wrap { () throws(SQLiteError) in
            try connection.loadMeta()
          }
          guard let meta = found else { throw .nameless }
          return try StoreFailure.wrap { () throws(SQLiteError) in try body(meta) }
        })
    } catch {
      return .failure(error.storeError)
    }
  }

  private func answer(
    _ reading: ReadingJob.Reading, meta: ServerMeta
  ) throws(SQLiteError) -> SyncAnswer {
    let request = reading.request
    let tenant = reading.account.tenant
    var answer = SyncAnswer(
      epoch: meta.epoch, time: reading.time, nonce: request.nonce,
      verdicts: reading.settled.verdicts)
    if reading.settled.renews {
      answer.renew = reading.settled.renewal
      return answer
    }
    if let epoch = request.epoch, epoch != meta.epoch {
      answer.ancestry = try connection.loadAncestry(tenant: tenant)
      return answer
    }
    answer.feeds = try pages(of: reading, epoch: meta.epoch)
    for replica in StampedReplicas(of: answer).found {
      let name = try connection.loadDeviceName(replica, tenant: tenant)
      guard let name = name ?? (replica == meta.replica ? Self.ownName : nil) else { continue }
      answer.devices.append(SyncAnswer.Device(replica: replica, name: name))
    }
    return answer
  }

  private func pages(
    of reading: ReadingJob.Reading, epoch: Epoch
  ) throws(SQLiteError) -> [SyncAnswer.Feed] {
    let tenant = reading.account.tenant
    var heads: [Key: FeedHead] = [:]
    for asked in reading.request.feeds where heads[asked.feed] == nil {
      heads[asked.feed] = try connection.loadHead(
        asked.feed, of: reading.account, rules: rules)
    }
    var pages = AnswerPages(
      reading.request, heads: heads, verdicts: reading.settled.verdicts, epoch: epoch)
    try pages.fill { (span, page) throws(SQLiteError) in
      try connection.scan(span, tenant: tenant, into: &page)
    }
    return pages.feeds
  }
}

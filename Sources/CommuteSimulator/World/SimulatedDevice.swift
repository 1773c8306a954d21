import CommuteCore

/// An entry of the inbox.
struct Refused {
  var rejection: Rejection
  /// The entry of the creation behind which it stood; nil for none.
  var behind: Int?
}

/// What lies in a device's database file.
struct DeviceFile {
  var device: Device
  var records: [DeviceRecord]
  /// What was refused; an entry stays when a person has decided about it.
  var inbox: [Refused] = []
  /// The entries of the inbox about which a person has decided.
  var decided: [Int] = []
  /// The records that the resets under way have told, one bit each.
  var told: UInt64 = 0
  /// The ids of which the server has told that another counts under them, too.
  var noticed: Set<ReplicaID> = []
  /// The place in line that the next row gets.
  var nextOrder: Int64 = 1
  /// How many commits were made to it.
  var version = 0

  /// Keeps that a reset has told a record.
  mutating func noteTold(_ record: Int) { told |= 1 << UInt64(record) }

  /// Forgets what a reset has told of some records.
  mutating func forgetTold(_ records: [Int]) {
    for record in records { told &= ~(1 << UInt64(record)) }
  }
}

/// A device: its file, what of it is durable, and the process that has it open.
struct SimulatedDevice {
  /// The file as the process sees it.
  private(set) var file: DeviceFile
  /// A copy that was made some time ago.
  var copy: Copy?
  /// What is kept outside the file.
  var host: HostRecord?
  var conversation = Conversation()
  /// When the conversation wants to hear of its retry, by the device's wall clock.
  var retryAt: Int64?
  var isOnline = true
  /// How far its wall clock is ahead, in milliseconds.
  var skew: Int64 = 0
  /// The number of the process; answers to an earlier one never arrive.
  var process = 0
  /// When the round under way was sent.
  var sentAt: Int64 = 0
  /// The records whose rows went with the round under way.
  var sentRecords: [Int] = []
  /// Whether its app is an older version, which does not know one field of each record.
  var isOld = false
  /// Whether it asks for the next page before the last one is stored.
  var readsOn = false
  /// Whether it is down for ever.
  var isDown = false
  /// Whether every commit is durable at once, or power is never lost.
  var isCareful: Bool
  let user: String

  /// A copy of a closed file, or of a whole running machine.
  struct Copy {
    var file: DeviceFile
    var host: HostRecord?
    var isWholeMachine: Bool
  }

  /// What has to be put back to undo one commit.
  private struct Undo {
    var device: Device
    var records: [(number: Int, record: DeviceRecord)] = []
    var inbox: Int
    var decided: [Int]
    var told: UInt64
    var nextOrder: Int64
    var version: Int
  }

  /// The commits that are not durable, oldest first.
  private var undone: [Undo] = []
  private var open: Undo?

  init(file: DeviceFile, host: HostRecord?, isCareful: Bool, user: String) {
    self.file = file
    self.host = host
    self.isCareful = isCareful
    self.user = user
  }

  /// How many commits a power loss may take.
  var unsafeCommits: Int { undone.count }

  // MARK: - Transactions

  /// Begins a transaction.
  mutating func begin() {
    if isCareful { return }
    open = Undo(
      device: file.device, inbox: file.inbox.count, decided: file.decided, told: file.told,
      nextOrder: file.nextOrder, version: file.version)
  }

  /// Changes what concerns the whole file, within a transaction.
  mutating func withDevice<Result>(_ change: (inout Device) -> Result) -> Result {
    change(&file.device)
  }

  /// Changes a record, within a transaction; the row numbers are given here.
  mutating func withRecord<Result>(
    _ number: Int, _ change: (inout DeviceRecord, inout Device) -> Result
  ) -> Result {
    keep(number)
    let result = change(&file.records[number], &file.device)
    for index in file.records[number].rows.indices
    where file.records[number].rows[index].order == 0 {
      file.records[number].rows[index].order = file.nextOrder
      file.nextOrder += 1
    }
    return result
  }

  /// Changes what lies beside the records, within a transaction.
  mutating func withFile(_ change: (inout DeviceFile) -> Void) { change(&file) }

  /// Whether a reset under way has told any of some records.
  func isToldOf(_ records: [Int]) -> Bool {
    records.contains { file.told & (1 << UInt64($0)) != 0 }
  }

  /// Puts rejections into the inbox, within a transaction.
  mutating func file(_ rejections: [Rejection]) {
    var creation: Int?
    for rejection in rejections {
      file.inbox.append(Refused(rejection: rejection, behind: creation))
      if creation == nil, rejection.row.operation.creates { creation = file.inbox.count - 1 }
    }
  }

  /// Ends a transaction.
  mutating func commit(full: Bool) {
    file.version += 1
    if isCareful { return }
    if full {
      undone.removeAll(keepingCapacity: true)
    } else if let open {
      undone.append(open)
    }
    open = nil
  }

  private mutating func keep(_ number: Int) {
    guard open != nil else { return }
    if let kept = open?.records, kept.contains(where: { $0.number == number }) { return }
    open?.records.append((number, file.records[number]))
  }

  /// Has a place for every record.
  mutating func fill(from roster: Roster) {
    while file.records.count < roster.keys.count {
      file.records.append(roster.blank(file.records.count))
    }
  }

  // MARK: - Faults

  /// Loses commits that are not durable, the newest first.
  ///
  /// - Returns: The last commit that is still there.
  mutating func losePower(commits: Int) -> Int {
    var last = file.version
    for _ in 0..<commits {
      guard let step = undone.popLast() else { break }
      file.device = step.device
      for entry in step.records.reversed() { file.records[entry.number] = entry.record }
      file.inbox.removeLast(file.inbox.count - step.inbox)
      file.decided = step.decided
      file.told = step.told
      file.nextOrder = step.nextOrder
      last = step.version
    }
    undone.removeAll(keepingCapacity: true)
    return last
  }

  /// Puts an earlier file in the place of this one; commits go on counting.
  mutating func replaceFile(with earlier: DeviceFile, in roster: Roster) {
    let version = file.version
    file = earlier
    file.version = version
    fill(from: roster)
    undone.removeAll(keepingCapacity: true)
    open = nil
  }
}

import CommuteCore

/// Something under way between a device and the server.
struct Parcel {
  enum Load {
    case request(SyncRequest)
    case requestBytes([UInt8])
    case answer(SyncAnswer)
    case answerBytes([UInt8])
    case failure(RoundFailure)
  }

  var device: Int
  /// The process of the device that waits for the answer.
  var process: Int
  var load: Load
  /// How many more of it there may be.
  var copies = 0
}

/// What a history was like.
struct Report {
  var steps = 0
  var writes = 0
  var devices = 0
  var hotRecords = 0
  var faults = [Int](repeating: 0, count: FaultClass.allCases.count)
  var marks = [Int](repeating: 0, count: Mark.allCases.count)
  /// A number that depends on everything that happened.
  var traceHash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// How many faults there were.
  var faultCount: Int { faults.reduce(0, +) }

  /// Notes what happened.
  mutating func note(_ number: some BinaryInteger) {
    traceHash = (traceHash ^ UInt64(truncatingIfNeeded: number)) &* 0x0000_0100_0000_01B3
    traceHash ^= traceHash >> 29
  }
}

/// What happened, in words.
final class Story {
  var lines: [String] = []
}

/// Devices, a server and the network between them, in which everything that can go wrong does.
struct World {
  var choices: Choices
  let stage: Stage
  /// Whether every message passes as bytes through the codec.
  let usesCodec: Bool
  /// What must become of the record with fields of other rules; nil where it is not played.
  var book: RuleBook?
  /// The records, and the conflicts that are told.
  var roster: Roster
  /// Whether conflicts come to the devices, and people decide about them.
  var tellsConflicts: Bool { book != nil }
  /// The true time, which is the server's, in milliseconds.
  var time: Int64 = 1_700_000_000_000
  var devices: [SimulatedDevice] = []
  var server: SimulatedServer
  var network: [Parcel] = []
  var oracle: Oracle
  var report = Report()
  var violation: Violation?
  /// A breach of a class that the contract states as a limit; the history goes on to see that all
  /// agree in the end.
  var knownLimit: KnownLimit?
  /// Where the story is told; nil where nobody listens.
  let story: Story?
  /// What the devices were last known to have, to see that they do not fall behind it.
  var memory: [DeviceMemory] = []
  /// The records of which something that was refused was made once more.
  var decided: Set<Int> = []
  /// The oldest version of the schema that the server takes.
  var minimumSchema: UInt64 = 1
  /// How many requests will meet trouble at the server.
  var serverTrouble = 0
  /// How many requests will get an answer that nobody can act on.
  var strangeAnswers = 0
  /// How many records most writes go to.
  var hotRecords = 3
  /// The only field that is written to existing records; nil for any.
  var onlyField: Int?
  /// Whether wall clocks are right, in 1970 or ten years ahead, and nothing between.
  var hasWildClocks = false
  /// Whether whole machines are put back.
  var losesMachines = false
  /// One in how many operations the server refuses.
  var refusal = 20
  /// Whether new records need each other, in circles.
  var makesCircles = false
  /// Whether a quarter of the writes are deletions.
  var deletesOften = false
  var mayReorder = false
  var mayDieBetween = false
  /// How many values were made that nobody else writes.
  var uniqueValues = 0
  /// How many epochs the server has begun after its first.
  var epochs: UInt64 = 0
  /// The epochs that ended, and when.
  var ended: [(epoch: Epoch, time: Int64)] = []
  private var nextIdentifier: UInt64 = 0
  private var nextReplica: UInt64 = 0

  /// What a device once had.
  struct DeviceMemory {
    var cursors = [UInt64](repeating: 0, count: 2)
    /// What the resets under way have told; nil where it went back, or none is.
    var resets = [ResetMemory?](repeating: nil, count: 2)
    /// Whether the page at hand begins a reset anew.
    var mustBegin = false
    /// The request that the server took last.
    var served: Nonce?
    /// The records that it held as deleted, one bit each.
    var deleted: UInt64 = 0
  }

  /// What a reset has told so far.
  struct ResetMemory {
    var fence: UInt64
    var grant: UInt64
    var told: UInt64 = 0
  }

  init(
    choices: Choices, stage: Stage, usesCodec: Bool, playsRules: Bool = false, story: Story? = nil
  ) {
    var choices = choices
    // Whoever puts back whole machines loses more than the contract promises: seldom, but then
    // often, and then it is counts that can be lost.
    losesMachines = choices.oneIn(8)
    if playsRules { book = RuleBook(&choices, counts: losesMachines) }
    roster = Roster(stage: stage)
    let count = [2, 3, 3, 3, 3, 4, 4][choices.draw(7)]
    self.choices = choices
    self.stage = stage
    self.usesCodec = usesCodec
    self.story = story
    oracle = Oracle(places: Stage.recordCount * Stage.placesPerRecord)
    var tables = stage.tables
    if let book { tables["item"] = book.table }
    server = SimulatedServer(tables: tables)
    network.reserveCapacity(8)
    for number in 0..<count { addDevice(number) }
    report.devices = devices.count
  }

  private mutating func addDevice(_ number: Int) {
    let replica = newReplica()
    let user = number % 2 == 0 ? "ada" : "ben"
    var feeds = FieldMap<FeedState>()
    for feed in stage.feeds { feeds[feed] = FeedState() }
    let device = Device(
      account: Account(tenant: "home", user: user), clock: HybridClock(replica: replica),
      feeds: feeds)
    var records = roster.keys.indices.map { roster.blank($0) }
    records[Stage.item].table = book?.table
    devices.append(
      SimulatedDevice(
        file: DeviceFile(device: device, records: records),
        host: HostRecord(replica: replica, number: 0), isCareful: choices.draw(4) == 1,
        user: user))
    devices[number].isOld = choices.draw(4) == 3
    devices[number].readsOn = choices.draw(2) == 1
    memory.append(DeviceMemory())
  }

  // MARK: - Small things

  /// The wall clock of a device.
  func wall(of device: Int) -> Int64 { time + devices[device].skew }

  /// 128 bits that nothing else has; `flavour` ends them.
  mutating func newIdentifier(_ flavour: UInt64 = 0) -> (high: UInt64, low: UInt64) {
    nextIdentifier += 1
    return (nextIdentifier &* 0x9E37_79B9_7F4A_7C15, nextIdentifier << 8 | flavour)
  }

  /// A replica id that no other file has; their order is not the order in which they were made.
  mutating func newReplica() -> ReplicaID {
    nextReplica += 1
    return ReplicaID(rawValue: nextReplica &* 0x9E37_79B9_7F4A_7C15)
  }

  /// The number of a record.
  func number(of key: RecordKey) -> Int { roster.number(of: key) }

  /// Whether a record has plain fields only, of which the oracle keeps account.
  func isPlain(_ record: Int) -> Bool { record < Stage.plainCount }

  /// Takes over what the book of the record with rules found.
  mutating func readBook() {
    if violation == nil { violation = book?.violation }
  }

  /// Tells what happens, where somebody listens.
  func tell(_ text: @autoclosure () -> String) {
    guard let story else { return }
    story.lines.append("\(time - 1_700_000_000_000) ms: \(text())")
  }

  /// Notes a broken promise; the first one counts.
  mutating func blame(_ invariant: Int, _ text: @autoclosure () -> String) {
    if violation == nil { violation = Violation(invariant: invariant, text: text()) }
  }

  /// Notes what the oracle found.
  ///
  /// Where a limit was met, the oracle no longer knows what to expect; that all agree is checked
  /// all the same.
  mutating func blame(_ breach: Breach?) {
    guard let breach, violation == nil, knownLimit == nil else { return }
    knownLimit = breach.limit
    if let limit = breach.limit { return tell("known limit \(limit): \(breach.text)") }
    violation = Violation(invariant: breach.invariant, text: breach.text)
  }

  /// Counts a fault.
  mutating func count(_ fault: FaultClass) { report.faults[fault.rawValue] += 1 }

  /// Counts a situation.
  mutating func reach(_ mark: Mark) { report.marks[mark.rawValue] += 1 }
}

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
  /// Whether a record with fields of other rules is played, too.
  var playsRules = false
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
    var deleted = [Bool](repeating: false, count: Stage.recordCount)
  }

  /// What a reset has told so far.
  struct ResetMemory {
    var fence: UInt64
    var grant: UInt64
    var told: UInt32 = 0
  }

  init(choices: Choices, stage: Stage, usesCodec: Bool, story: Story? = nil) {
    var choices = choices
    let count = [2, 3, 3, 3, 3, 4, 4][choices.draw(7)]
    self.choices = choices
    self.stage = stage
    self.usesCodec = usesCodec
    self.story = story
    oracle = Oracle(places: Stage.recordCount * Stage.placesPerRecord)
    server = SimulatedServer(tables: stage.tables)
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
    let records = stage.records.indices.map { record in
      DeviceRecord(key: stage.records[record], feed: stage.feeds[stage.feedOfRecord[record]])
    }
    devices.append(
      SimulatedDevice(
        file: DeviceFile(device: device, records: records),
        host: HostRecord(replica: replica, number: 0), isCareful: choices.draw(4) == 1,
        user: user))
    devices[number].isOld = choices.draw(4) == 3
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

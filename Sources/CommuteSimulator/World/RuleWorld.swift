import CommuteCore

/// A device in a world of rules: one record, a clock, and what it waits for.
struct RuleDevice {
  var record: DeviceRecord
  var clock: HybridClock
  /// How far its wall clock is ahead.
  var skew: Int64 = 0
  /// What the request under way is called; nil where none is.
  var nonce: UInt64?
  /// A copy of its file, made some time ago.
  var copy: DeviceRecord?
  var earlier: [ReplicaID] = []
}

/// Something under way in a world of rules.
struct RuleParcel {
  var device: Int
  var nonce: UInt64
  var operation: CommuteCore.Operation
  /// Whose request it is.
  var replica: ReplicaID
  var replicas: [ReplicaID]
  var number: UInt64
  /// The answer; nil on the way to the server.
  var verdict: Verdict?
}

/// One record with fields of two or three rules on a few devices, told by a network that loses,
/// doubles and delays, to a server that refuses; files are put back, clocks are wrong.
///
/// It is a part of every other history, small beside the rest of it, and has an oracle of its own.
struct RuleWorld {
  static let key = RecordKey(
    table: "item", id: RecordID(high: 0x018F_3C5E_7A10_7000, low: 0x8000_0000_0000_0077))
  static let epoch = Epoch(rawValue: 0xE1)
  static let refused: UInt64 = 7

  var choices: Choices
  let rules: [OracleRule]
  let names: [Key]
  let table: TableSchema
  var time: Int64 = 1_700_000_000_000
  var devices: [RuleDevice] = []
  var network: [RuleParcel] = []
  var state: ServerState
  let settlement: Settlement
  var oracle: RuleOracle
  var violation: Violation?
  let story: Story?
  /// The edits of each field that an operation carries, by its id.
  var contents: [OperationID: [[Int]]] = [:]
  /// What the fields of the server were at each revision.
  var snapshots: [UInt64: [RuleField]] = [:]
  var applied: [OperationID] = []
  var told: [Int] = []
  /// The latest edit and the latest deletion, where an edit revives.
  var latestEdit = Moment.start
  var latestDeletion = Moment.start
  var writes = 0
  private var identifiers: UInt64 = 0
  private var replicas: UInt64 = 0

  /// Whether records are deleted and revived here.
  var isReviving: Bool { table.rule == .editRevives }

  init(choices: Choices, story: Story?) {
    self.choices = choices
    self.story = story
    var drawn: [OracleRule] = []
    let reviving = self.choices.oneIn(8)
    let count = 1 + self.choices.draw(3)
    for _ in 0..<count {
      let rule = OracleRule(rawValue: self.choices.draw(OracleRule.allCases.count)) ?? .latest
      drawn.append(reviving ? [.counter, .latest][drawn.count % 2] : rule)
    }
    rules = drawn
    names = drawn.indices.map { Key("f\($0)") }
    table = TableSchema(
      "item", fields: zip(names, drawn).map { Self.schema($0, $1) },
      rule: reviving ? .editRevives : .deleteWins)
    state = ServerState(epoch: Self.epoch, clock: HybridClock(replica: ReplicaID(rawValue: 0x5E)))
    settlement = Settlement(tables: ["item": table]) { proposal in
      proposal.operation.low & 0xFF == Self.refused ? .invalid("a rule refused it") : nil
    }
    oracle = RuleOracle(rules: drawn)
    for _ in 0..<(2 + self.choices.draw(2)) {
      devices.append(
        RuleDevice(
          record: DeviceRecord(key: Self.key, feed: "items", table: table),
          clock: HybridClock(replica: newReplica())))
    }
  }

  private static func schema(_ name: Key, _ rule: OracleRule) -> FieldSchema {
    switch rule {
    case .latest: FieldSchema(name, .text)
    case .maximum: FieldSchema(name, .integer, rule: .maximum)
    case .minimum: FieldSchema(name, .integer, rule: .minimum)
    case .counter: FieldSchema(name, .integer, rule: .counter)
    case .rising: FieldSchema(name, .integer, rule: .growOnlyCounter)
    case .set: FieldSchema(name, .list, rule: .set)
    case .text: FieldSchema(name, .text, rule: .text)
    case .serverWins: FieldSchema(name, .text, rule: .serverWins)
    case .clientWins: FieldSchema(name, .text, rule: .clientWins)
    case .keepBoth: FieldSchema(name, .text, rule: .keepBoth)
    }
  }

  // MARK: - Steps

  /// Plays the history up to its end, or to the first broken promise.
  mutating func run() {
    for _ in 0..<24 {
      if choices.isOver || violation != nil { break }
      time += 1 + Int64(choices.draw(3))
      let device = choices.draw(devices.count)
      switch choices.draw(20) {
      case 0...8: write(on: device)
      case 9...11: send(from: device)
      case 12...15: deliver()
      case 16: lose()
      case 17: double()
      case 18: choices.draw(4) == 0 ? jumpClock(of: device) : copyOrRestore(device)
      default: if isReviving { delete(on: device) } else { seed(on: device) }
      }
    }
    if violation == nil { rest() }
  }

  private mutating func deliver() {
    if network.isEmpty { return send(from: choices.draw(devices.count)) }
    let parcel = network.remove(at: choices.oneIn(3) ? choices.draw(network.count) : 0)
    if parcel.verdict == nil { serve(parcel) } else { receive(parcel) }
  }

  private mutating func lose() {
    if network.isEmpty { return }
    tell("a parcel is lost")
    network.remove(at: choices.draw(network.count))
  }

  private mutating func double() {
    if network.isEmpty { return }
    tell("a parcel comes twice")
    network.append(network[choices.draw(network.count)])
  }

  private mutating func jumpClock(of device: Int) {
    devices[device].skew = [0, -1_500, 1_500, 120_000, -time, 315_360_000_000][choices.draw(6)]
    tell("the clock of \(device) is off by \(devices[device].skew)")
  }

  private mutating func copyOrRestore(_ device: Int) {
    guard let copy = devices[device].copy else {
      devices[device].copy = devices[device].record
      tell("\(device) is copied")
      return
    }
    devices[device].record = copy
    devices[device].copy = nil
    devices[device].nonce = nil
    devices[device].earlier.append(devices[device].clock.replica)
    devices[device].clock.replica = newReplica()
    tell("\(device) is put back and takes a new id")
  }

  /// Plays healthy rounds until nothing is left to be said, and compares.
  private mutating func rest() {
    tell("the faults stop")
    network = []
    for device in devices.indices {
      for _ in 0..<12 where !devices[device].record.rows.isEmpty && violation == nil {
        send(from: device)
        while let parcel = network.popLast() {
          if parcel.verdict == nil { serve(parcel) } else { receive(parcel) }
        }
      }
    }
    for device in devices.indices where violation == nil {
      if !devices[device].record.rows.isEmpty { blame(10, "rows are left in an outbox of rules") }
      pull(device)
      let base = devices[device].record.base
      if base != state.records[Self.key]?.state {
        blame(11, "the record of rules differs between device \(device) and the server")
      }
    }
  }

  // MARK: - Small things

  mutating func newIdentifier(_ flavour: UInt64 = 0) -> OperationID {
    identifiers += 1
    return OperationID(high: identifiers &* 0x9E37_79B9_7F4A_7C15, low: identifiers << 8 | flavour)
  }

  private mutating func newReplica() -> ReplicaID {
    replicas += 1
    return ReplicaID(rawValue: replicas &* 0x9E37_79B9_7F4A_7C15)
  }

  func tell(_ text: @autoclosure () -> String) {
    guard let story else { return }
    story.lines.append("rules \(time - 1_700_000_000_000) ms: \(text())")
  }

  mutating func blame(_ invariant: Int, _ text: @autoclosure () -> String) {
    if violation == nil { violation = Violation(invariant: invariant, text: text()) }
  }

  /// The edit that a value stands for; 0 for none, negative for a seed.
  static func edit(of value: FieldValue?) -> Int {
    switch value {
    case .integer(let number)?:
      let rest = Int(number % 1_000)
      return rest >= 900 ? 900 - rest : rest
    case .text(let text)?:
      let number = Int(text.dropFirst()) ?? 0
      return text.hasPrefix("s") ? -number : number
    default: return 0
    }
  }
}

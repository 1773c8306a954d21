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
  var time: Int64 = 1_700_000_000_000
  var devices: [RuleDevice] = []
  var network: [RuleParcel] = []
  var state: ServerState
  let settlement: Settlement
  var book: RuleBook
  let story: Story?
  var writes = 0
  private var identifiers: UInt64 = 0
  private var replicas: UInt64 = 0

  var violation: Violation? { book.violation }

  init(choices: Choices, story: Story?) {
    self.choices = choices
    self.story = story
    book = RuleBook(&self.choices)
    let table = book.table
    state = ServerState(epoch: Self.epoch, clock: HybridClock(replica: ReplicaID(rawValue: 0x5E)))
    settlement = Settlement(tables: ["item": table]) { proposal in
      proposal.operation.low & 0xFF == Self.refused ? .invalid("a rule refused it") : nil
    }
    for _ in 0..<(2 + self.choices.draw(2)) {
      devices.append(
        RuleDevice(
          record: DeviceRecord(key: Self.key, feed: "items", table: table),
          clock: HybridClock(replica: newReplica())))
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
      default: if book.isReviving { delete(on: device) } else { seed(on: device) }
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
    book.blame(invariant, text())
  }
}

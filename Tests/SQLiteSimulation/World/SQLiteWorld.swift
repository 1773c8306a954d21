import CommuteCore
import CommuteStore
import CommuteTestKit

/// Something under way between a device and the server.
struct Parcel {
  enum Load {
    case request([UInt8])
    case answer([UInt8])
    /// The server said that it settled nothing, or nothing at all.
    case failure(settledNothing: Bool)
  }

  var device: Int
  /// The process that waits for the answer.
  var process: Int
  var load: Load
}

/// What a history was like.
struct Report: Sendable {
  var writes = 0
  var checks = 0
  var faults = [Int](repeating: 0, count: FaultKind.allCases.count)
  /// A number that depends on everything that happened.
  var trace: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func note(_ number: some BinaryInteger) {
    trace = (trace ^ UInt64(truncatingIfNeeded: number)) &* 0x0000_0100_0000_01B3
    trace ^= trace >> 29
  }

  mutating func note(_ text: String) {
    var hash = trace
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    trace = hash
  }
}

/// What happened, in words.
final class Story {
  var lines: [String] = []
}

/// Devices with real stores on files that fail, a server that is a value, and a faulty network.
final class SQLiteWorld {
  private var random: SeededGenerator
  let folder: String
  let seed: UInt64
  let story: Story?
  /// The true time, which is the server's, in milliseconds.
  var time: Int64 = SQLiteWorld.start
  var devices: [RealDevice] = []
  var server = MemoryServer()
  var network: [Parcel] = []
  var ledger = Ledger()
  var report = Report()
  /// Whether the faults have stopped.
  var isCalm = false
  /// One fault comes in so many actions.
  let faultsOneIn: Int
  /// Whether clocks may be far off; not together with copies, where the contract states a limit.
  let hasWildClocks: Bool
  let hasCopies: Bool
  let hasServerCopies: Bool
  /// What was written under each stamp that came to the server.
  var stamps: [Stamp: [FieldKey: FieldValue]] = [:]
  private var replicas: UInt64 = 0

  static let start: Int64 = 1_700_000_000_000
  static let batch = 3
  static let pageRecords: UInt64 = 2

  init(seed: UInt64, folder: String, story: Story? = nil) {
    random = SeededGenerator(seed: seed)
    self.seed = seed
    self.folder = folder
    self.story = story
    faultsOneIn = [6, 12, 12, 30][random.draw(4)]
    let character = random.draw(8)
    hasWildClocks = character < 2
    hasCopies = character >= 2 && character < 5
    hasServerCopies = character == 5
    ledger.mayComeAgain = hasCopies
  }

  // MARK: - Small things

  /// Draws a number below `count`.
  func draw(_ count: Int) -> Int { random.draw(count) }

  func oneIn(_ count: Int) -> Bool { draw(count) == count - 1 }

  func drawSeed() -> UInt64 { random.next() }

  func tell(_ text: @autoclosure () -> String) {
    story?.lines.append("\(time - Self.start) ms: \(text())")
  }

  func count(_ fault: FaultKind) { report.faults[fault.rawValue] += 1 }

  func newReplica() -> ReplicaID {
    replicas += 1
    return ReplicaID(rawValue: replicas &* 0x9E37_79B9_7F4A_7C15)
  }

  /// Sets the clocks that a device reads.
  func setClock(of device: RealDevice) {
    device.time.set(wall: max(1, time + device.skew), monotonic: time - Self.start + 1_000)
  }

  // MARK: - A history

  /// Plays the history.
  func run() async throws {
    for number in 0..<(2 + draw(2)) { try await addDevice(number) }
    for _ in 0..<(40 + draw(30)) {
      time += 1 + Int64(draw(40))
      try await step()
    }
    try await rest()
    try await finish()
  }

  func addDevice(_ number: Int) async throws {
    let device = RealDevice(number, below: folder, seed: seed)
    devices.append(device)
    setClock(of: device)
    try device.open()
    // What opening made for the first time is made durable by the first durable write.
    try await device.store?.write(durability: .full) { tx in tx.setNote("made", "here") }
    device.shots = [try device.shoot()]
  }

  private func step() async throws {
    let device = devices[draw(devices.count)]
    if device.store == nil { return try await reopen(device) }
    switch draw(40) {
    case 0...15: try await write(on: device)
    case 16...21: try await startRound(on: device)
    case 22...30: try await deliver()
    case 31: disturbNetwork()
    case 32: try await decide(on: device)
    case 33: try await leave(device)
    case 34: jumpClock(of: device)
    case 35: time += Int64(draw(2)) * 3_600_000
    case 36: fill(device)
    case 37: try await die(device, oneIn(2) ? .kill : .power)
    case 38: if hasCopies { try await copyOrPutBack(device) }
    default: passTime()
    }
  }

  private func jumpClock(of device: RealDevice) {
    count(.clockJump)
    let far = hasWildClocks ? [120_000, 315_360_000_000, -time] : [10_000, -20_000, 0]
    device.skew = ([0, -1_500, 1_500] + far)[draw(6)]
    tell("the clock of \(device.number) is off by \(device.skew)")
  }

  private func fill(_ device: RealDevice) {
    guard oneIn(3) else { return }
    device.fullFor = 1 + draw(4)
    tell("the disk of \(device.number) is full for \(device.fullFor) actions")
  }

  private func passTime() {
    if hasServerCopies, oneIn(2) {
      guard server.hasBackup else {
        server.makeBackup(applied: ledger.applied)
        return tell("the server is copied")
      }
      guard let earlier = server.putBack(time: time, replica: newReplica()) else { return }
      count(.putBackServer)
      ledger.wentBack(to: earlier)
      return tell("the server is put back")
    }
    guard oneIn(10) else { return }
    count(.absence)
    time += Purge.defaultRetention + Int64(1 + draw(86_400_000))
    network.removeAll()
    server.purge(time: time)
    tell("three months pass")
  }
}

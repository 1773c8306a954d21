import CommuteTestKit
import Foundation

/// The processes and files of a run, and what they have told.
final class World {
  /// One device: its files, and what is known of its identity.
  struct Slot {
    var directory: String
    var hosts: String
    /// The identity that its file had when it was last read, and how many it has had.
    var replica = ""
    var replicaCount = 0
    var files = 0

    var database: String { "\(directory)/commute.db" }
  }

  let folder: String
  let plant: Plant?
  var ledger = Ledger()
  var findings: Findings
  private(set) var slots: [Slot] = []
  private(set) var server: ChildProcess?
  private(set) var port: UInt16 = 0
  /// The devices that run now.
  private var running: [(slot: Int, process: ChildProcess)] = []
  /// How many processes were started.
  private(set) var lives = 0

  init(folder: String, plant: Plant?, findings: Findings) {
    self.folder = folder
    self.plant = plant
    self.findings = findings
    for slot in 0..<SheetValue.slots {
      slots.append(Self.slot(slot, file: 1, in: folder))
    }
  }

  private static func slot(_ slot: Int, file: Int, in folder: String) -> Slot {
    let name = SheetValue.name(slot)
    return Slot(
      directory: "\(folder)/\(name)-\(file)", hosts: "\(folder)/\(name)-\(file)-hosts",
      files: file)
  }

  var serverFile: String { "\(folder)/server.db" }

  // MARK: - Devices

  /// Starts a device.
  func start(
    _ slot: Int, seed: UInt64, steps: Int?, manner: DeviceOrder.Manner, skew: Int64 = 0,
    charge: Fuse.Charge? = nil
  ) throws -> ChildProcess {
    let order = DeviceOrder(
      directory: slots[slot].directory, hosts: slots[slot].hosts,
      server: "http://127.0.0.1:\(port)", slot: slot, seed: seed,
      sequence: ledger.sequence[slot], steps: steps, manner: manner, skew: skew,
      charge: charge, plant: plant)
    let process = try ChildProcess(
      "device \(SheetValue.name(slot))", mode: "--device-child", order: order)
    lives += 1
    running.append((slot, process))
    return process
  }

  /// Waits for the end of a device, and hears what it still had to tell.
  func reap(_ process: ChildProcess) -> ChildProcess.Ending {
    while process.isOpen { hear(process, process.takeLines()) }
    running.removeAll { $0.process === process }
    return process.reap()
  }

  /// Gives a device a new and empty file.
  func renew(_ slot: Int) {
    try? FileManager.default.removeItem(atPath: slots[slot].directory)
    try? FileManager.default.removeItem(atPath: slots[slot].hosts)
    slots[slot] = Self.slot(slot, file: slots[slot].files + 1, in: folder)
    ledger.renew(slot)
  }

  /// Notes which identities a device's file has had.
  func note(_ file: DeviceFile, of slot: Int) {
    slots[slot].replica = file.replica
    slots[slot].replicaCount = file.replicaCount
  }

  // MARK: - The server

  /// Starts the server at the port it had; at first at one that is free.
  func startServer() throws {
    for attempt in 0..<20 {
      // Below the ports that the system gives to clients, so that nobody takes it meanwhile.
      let candidate = 20_000 + (Int(getpid()) &* 37 &+ attempt &* 1_009) % 12_000
      let wanted = port == 0 ? UInt16(candidate) : port
      let order = ServerOrder(file: serverFile, port: wanted, plant: plant)
      let process = try ChildProcess("server", mode: "--server-child", order: order)
      server = process
      lives += 1
      if isListening(process) {
        port = wanted
        return
      }
      _ = process.finish()
      server = nil
    }
    throw ChildProcess.Failure(message: "the server does not start: \(complaint)")
  }

  private var complaint = ""

  private func isListening(_ process: ChildProcess) -> Bool {
    let watch = Watch(.seconds(20))
    while process.isOpen, !watch.isOver {
      for (_, lines) in watch.next([process]) {
        for line in lines {
          if line.hasPrefix("listening") { return true }
          complaint = line
        }
      }
    }
    return false
  }

  /// Waits for the end of the server, and hears what it still had to tell.
  func reapServer() -> ChildProcess.Ending? {
    guard let process = server else { return nil }
    while process.isOpen { hear(process, process.takeLines()) }
    server = nil
    return process.reap()
  }

  // MARK: - Hearing

  /// Listens to all processes until something holds or time is over.
  ///
  /// - Returns: Whether it holds.
  @discardableResult
  func listen(_ limit: Duration, until holds: () -> Bool) -> Bool {
    let watch = Watch(limit)
    while !holds() {
      if watch.isOver { return false }
      let everybody = running.map(\.process) + [server].compactMap { $0 }
      for (process, lines) in watch.next(everybody) { hear(process, lines) }
    }
    return true
  }

  private func hear(_ process: ChildProcess, _ lines: [String]) {
    let slot = running.first { $0.process === process }?.slot
    for line in lines {
      let words = line.split(separator: " ")
      guard let word = words.first else { continue }
      switch (word, slot) {
      case ("i", let slot?):
        guard let write = SheetWrite(slot: slot, words: Array(words.dropFirst())) else {
          findings.corrupt("\(process.name) announces '\(line)'")
          continue
        }
        ledger.announce(write)
      case ("w", let slot?): ledger.settle(slot, Self.number(words))
      case ("x", let slot?): ledger.void(slot, Self.number(words))
      case ("k", let slot?):
        if let problem = ledger.acknowledge(Array(words.dropFirst()), of: slot) {
          findings.corrupt("\(process.name): \(problem)")
        }
      case ("done", _), ("listening", _): break
      default: findings.corrupt("\(process.name) says: \(line.dropFirst(2))")
      }
    }
  }

  private static func number(_ words: [Substring]) -> Int {
    words.count > 1 ? Int(words[1]) ?? 0 : 0
  }

  /// Kills everything that still runs.
  func end() {
    for (_, process) in running { _ = process.finish() }
    running = []
    _ = server?.finish()
    server = nil
  }
}

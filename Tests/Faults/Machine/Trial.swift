import CFaultFiles
import CommuteStore
import Foundation

/// What goes wrong, and where.
struct Fault: Sendable {
  /// The ways a disk fails a process.
  enum Kind: String, CaseIterable, Sendable {
    /// One write, sync, truncation or removal fails.
    case error
    /// The same, and then the process is killed.
    case broken
    /// The disk is full from here on.
    case full
    /// The process is killed; what it wrote is there.
    case kill
    /// The power fails; of what was not synced a drawn part is there.
    case power
    /// The power fails in the middle of a write.
    case torn

    var losesPower: Bool { self == .power || self == .torn }
    /// Whether the process goes on and hears of it.
    var isHeard: Bool { self == .error || self == .broken || self == .full }

    var armed: Int32 {
      switch self {
      case .error, .broken: Int32(FAULT_ERROR_ONCE)
      case .full: Int32(FAULT_FULL)
      case .kill, .power: Int32(FAULT_DEATH)
      case .torn: Int32(FAULT_TORN)
      }
    }
  }

  var kind: Kind
  var operation: Int64
  var seed: UInt64
}

/// What a trial found.
enum Finding: Sendable {
  case fine
  /// Something that was acknowledged is gone, or something is there that nobody wrote.
  case lost(String)
  /// The file is damaged, or does not open.
  case corrupt(String)
}

/// A scenario with its states when all goes well: the measure of every trial.
struct Trial: Sendable {
  let scenario: Scenario
  let folder: String
  /// The contents after opening and after each step.
  let states: [String]
  /// How many operations there are, from opening to closing.
  let operations: Int64
  /// Whether every step is taken for durable: a lie that a loss of power must find out.
  var believesAll = false

  private static let start = "start"
  private static let run = "run"

  /// Prepares the scenario in a folder of its own, and runs it once without faults.
  init(_ scenario: Scenario, folder: String) async throws {
    self.scenario = scenario
    self.folder = folder
    let files = FileManager.default
    try files.createDirectory(atPath: "\(folder)/\(Self.run)", withIntermediateDirectories: true)
    fault_files_watch("\(folder)/\(Self.run)/device/")
    fault_files_arm(Int32(FAULT_NONE), 0, 0)
    if !scenario.before.isEmpty {
      let machine = Machine(folder: "\(folder)/\(Self.run)")
      try await machine.open()
      for step in scenario.before { try await step.body(machine) }
      await machine.close()
    }
    try files.moveItem(atPath: "\(folder)/\(Self.run)", toPath: "\(folder)/\(Self.start)")
    try Self.layOut(folder)
    fault_files_arm(Int32(FAULT_NONE), 0, 0)
    let machine = Machine(folder: "\(folder)/\(Self.run)")
    var states: [String] = []
    try await machine.open(isNewer: scenario.isNewer)
    states.append(try Contents.read(machine.database) ?? "")
    for step in scenario.steps {
      try await step.body(machine)
      states.append(try Contents.read(machine.database) ?? "")
    }
    await machine.close()
    self.states = states
    operations = fault_files_operations()
  }

  /// A fresh copy of what the scenario starts from.
  private static func layOut(_ folder: String) throws {
    let files = FileManager.default
    try? files.removeItem(atPath: "\(folder)/\(run)")
    try files.copyItem(atPath: "\(folder)/\(start)", toPath: "\(folder)/\(run)")
    fault_files_watch("\(folder)/\(run)/device/")
  }

  /// Runs the scenario with a fault in it, then lets the device start anew and looks at it.
  func run(_ fault: Fault) async throws -> Finding {
    try Self.layOut(folder)
    let path = "\(folder)/\(Self.run)"
    fault_files_arm(fault.kind.armed, fault.operation, fault.seed)
    let machine = Machine(folder: path)
    var done = -1
    var failed: Int?
    do {
      try await machine.open(isNewer: scenario.isNewer)
      done = 0
      for (index, step) in scenario.steps.enumerated() {
        failed = index + 1
        try await step.body(machine)
        done = index + 1
      }
      failed = nil
    } catch let error as StoreError {
      failed = done + 1
      if error.message.isEmpty { return .lost("an error without words: \(error)") }
    } catch {
      return .lost("an error that is none of the store's: \(error)")
    }
    if fault.kind.isHeard { fault_files_disarm() }
    if fault.kind.isHeard, let failed, failed > 0 {
      let now = try Contents.read(machine.database) ?? ""
      if now != states[failed - 1] { return .lost(Self.difference(now, states[failed - 1])) }
    }
    if fault.kind == .broken { fault_files_arm(Int32(FAULT_DEATH), 0, 0) }
    await machine.close()
    fault_files_disarm()
    if fault.kind.losesPower {
      guard fault_files_lose_power(fault.seed &+ 1) >= 0 else {
        throw CocoaError(.fileWriteUnknown)
      }
    } else {
      fault_files_settle()
    }
    return try await lookAfter(fault, done: done, failed: failed, at: path)
  }

  /// Starts the device anew, and compares what it holds with what it may hold.
  private func lookAfter(
    _ fault: Fault, done: Int, failed: Int?, at path: String
  ) async throws -> Finding {
    let machine = Machine(folder: path, boot: fault.kind.losesPower ? "boot-2" : "boot-1")
    do {
      try await machine.open(isNewer: scenario.isNewer)
    } catch {
      return .corrupt("it does not open again: \(error)")
    }
    let found = try Contents.read(machine.database) ?? ""
    let damage = Contents.damage(machine.database)
    do {
      try await machine.opened().write(durability: .full) { tx in
        try tx.insert(Note(id: id(999), text: "and on"))
      }
    } catch {
      return .corrupt("it takes no write any more: \(error)")
    }
    await machine.close()
    if let line = damage.first { return .corrupt(line) }
    let after = Contents.damage(machine.database)
    if let line = after.first { return .corrupt("after going on: \(line)") }
    let low: Int
    let high: Int
    if fault.kind.isHeard {
      low = max((failed ?? states.count) - 1, 0)
      high = low
    } else {
      low = max(fault.kind.losesPower ? lastDurable(upTo: done) : done, 0)
      high = failed ?? states.count - 1
    }
    if states[low...max(high, low)].contains(found) { return .fine }
    return .lost(Self.difference(found, states[low]))
  }

  /// The last step up to here that no loss of power may take back.
  private func lastDurable(upTo done: Int) -> Int {
    guard done > 0 else { return 0 }
    if believesAll { return done }
    for index in stride(from: done, to: 0, by: -1) where scenario.steps[index - 1].isFull {
      return index
    }
    return 0
  }

  /// The first line in which two contents differ.
  private static func difference(_ found: String, _ wanted: String) -> String {
    let left = found.split(separator: "\n", omittingEmptySubsequences: false)
    let right = wanted.split(separator: "\n", omittingEmptySubsequences: false)
    for index in 0..<max(left.count, right.count) {
      let one = index < left.count ? left[index].prefix(160) : "(nothing)"
      let other = index < right.count ? right[index].prefix(160) : "(nothing)"
      if one != other { return "found \(one), wanted \(other)" }
    }
    return "nothing differs"
  }
}

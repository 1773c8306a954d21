import Foundation

/// What a run comes to.
struct CrashReport {
  private let options: CrashOptions
  private let start = ContinuousClock.now
  private var devices: [Phase: Int] = [:]
  private var server: [Phase: Int] = [:]
  var records = 0
  private var lost = 0
  private var corrupt = 0
  private var facts: [(name: String, count: Int)] = []
  private var seconds = 0

  init(_ options: CrashOptions) {
    self.options = options
  }

  /// The first line: what it takes to see the same choices again.
  var heading: String {
    let lie = options.plant.map { ", the lie \($0.rawValue) planted" } ?? ""
    return "crash: seed \(options.seed), \(options.kills) kills of devices and as many of the"
      + " server\(lie)"
  }

  /// Notes a kill.
  mutating func note(_ kill: KillPlan.Kill, isMet: Bool) {
    let phase = isMet ? kill.phase : .random
    switch kill.victim {
    case .device: devices[phase, default: 0] += 1
    case .server: server[phase, default: 0] += 1
    }
  }

  var killed: Int { count(devices) + count(server) }

  private func count(_ phases: [Phase: Int]) -> Int { phases.values.reduce(0, +) }

  /// Takes what was found.
  mutating func finish(_ world: World) {
    lost = world.findings.lost.count
    corrupt = world.findings.corrupt.count
    facts = [
      ("processes", world.lives), ("writes returned", world.ledger.returned),
      ("operations acknowledged", world.ledger.acknowledged.count), ("records", records),
    ]
    seconds = Int((ContinuousClock.now - start).components.seconds)
  }

  /// The phases that were met too rarely.
  private var unmet: [String] {
    let least = KillPlan.minimum(options.kills)
    var unmet: [String] = []
    for phase in Phase.named {
      if devices[phase, default: 0] < least { unmet.append("devices \(phase.rawValue)") }
      if server[phase, default: 0] < least { unmet.append("server \(phase.rawValue)") }
    }
    return unmet
  }

  /// Whether nothing was lost or damaged, and every phase was met often enough.
  var isGood: Bool { lost == 0 && corrupt == 0 && unmet.isEmpty }

  private func line(_ name: String, _ phases: [Phase: Int]) -> String {
    let parts = Phase.allCases.map { "\($0.rawValue) \(phases[$0, default: 0])" }
    return "crash: \(name): \(parts.joined(separator: ", "))"
  }

  /// The report, the sum in the last line.
  var lines: [String] {
    var lines = [line("devices", devices), line("server", server)]
    lines.append(
      "crash: \(facts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")), \(seconds) s")
    if !unmet.isEmpty {
      let least = KillPlan.minimum(options.kills)
      lines.append("crash: met less than \(least) times: \(unmet.joined(separator: ", "))")
    }
    let phases = Phase.named.map { phase in
      String(devices[phase, default: 0] + server[phase, default: 0])
    }
    lines.append(
      "crash: \(count(devices)) device kills, \(count(server)) server kills, phases "
        + "\(phases.joined(separator: "/")), \(lost) lost, \(corrupt) corrupt")
    return lines
  }

  /// The report as one JSON object.
  var json: String {
    func object(_ phases: [Phase: Int]) -> [String: Int] {
      Dictionary(uniqueKeysWithValues: Phase.allCases.map { ($0.rawValue, phases[$0, default: 0]) })
    }
    var members: [String: Any] = [
      "seed": options.seed, "deviceKills": count(devices), "serverKills": count(server),
      "devices": object(devices), "server": object(server), "lost": lost, "corrupt": corrupt,
      "seconds": seconds, "ok": isGood,
    ]
    for fact in facts { members[fact.name] = fact.count }
    let bytes = try? JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
    return String(decoding: bytes ?? Data(), as: UTF8.self)
  }
}

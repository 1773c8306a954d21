/// What a run of many histories came to.
struct Summary {
  /// A history that broke a promise.
  struct Finding {
    var seed: UInt64
    var violation: Violation
  }

  var histories = 0
  var total = Report()
  /// The first finding of each promise.
  var findings: [Finding] = []
  var violations = 0
  /// The seeds of all that broke one, the first hundred.
  private(set) var brokenSeeds: [UInt64] = []
  /// Histories that met a limit that the contract states, and in which all agreed.
  var knownLimits = [Int](repeating: 0, count: KnownLimit.allCases.count)
  /// How many histories were played twice, and went the same way.
  var playedTwice = 0
  /// A number that depends on everything that happened in all of them.
  var traceHash: UInt64 = 0
  var processorSeconds = 0.0
  /// What became of the planted bugs.
  var hunted: [Quarry] = []

  /// Adds one history.
  mutating func add(_ world: World, seed: UInt64) {
    histories += 1
    let report = world.report
    traceHash = (traceHash ^ report.traceHash) &* 0x0000_0100_0000_01B3
    total.steps += report.steps
    total.writes += report.writes
    total.devices += report.devices
    total.hotRecords += report.hotRecords
    for index in total.faults.indices { total.faults[index] += report.faults[index] }
    for index in total.marks.indices { total.marks[index] += report.marks[index] }
    if let violation = world.violation {
      add(violation, seed: seed)
    } else if let limit = world.knownLimit {
      knownLimits[limit.rawValue] += 1
    }
  }

  /// Adds a broken promise.
  mutating func add(_ violation: Violation, seed: UInt64) {
    violations += 1
    if brokenSeeds.count < 100 { brokenSeeds.append(seed) }
    if !findings.contains(where: { $0.violation.invariant == violation.invariant }) {
      findings.append(Finding(seed: seed, violation: violation))
    }
  }

  /// How many planted bugs were caught.
  var killed: Int { hunted.count { $0.invariant != nil } }

  /// From this number of histories on every class of faults must have come up.
  static let tellingFaults = 500
  /// From this number of histories on every situation must have come up.
  static let tellingMarks = 10_000

  /// The fault classes and situations that never came up, where there were enough histories.
  var neverReached: [String] {
    var names: [String] = []
    if histories >= Self.tellingFaults {
      names += FaultClass.allCases.filter { total.faults[$0.rawValue] == 0 }.map { $0.name }
    }
    if histories >= Self.tellingFaults, playedTwice == 0 { names.append("playedTwice") }
    if histories >= Self.tellingMarks {
      names += Mark.allCases.filter { total.marks[$0.rawValue] == 0 }.map { $0.name }
    }
    return names
  }

  /// Whether everything that must hold does.
  var isGood: Bool {
    violations == 0 && killed == hunted.count && neverReached.isEmpty
  }

  /// Histories a second of one core.
  var rate: Int { Int(Double(histories) / max(processorSeconds, 0.000_001)) }

  // MARK: - Lines

  /// The middle one of the planted bugs' numbers.
  private func median(_ numbers: [Int]) -> Int {
    numbers.isEmpty ? 0 : numbers.sorted()[numbers.count / 2]
  }

  /// The last lines of the report.
  var lines: [String] {
    var lines: [String] = []
    let caught = hunted.filter { $0.invariant != nil }
    if !caught.isEmpty {
      lines.append(
        "simulate: planted bugs: median \(median(caught.map(\.history))) histories to kill, at most"
          + " \(caught.map(\.history).max() ?? 0); median \(median(caught.map(\.writes))) writes"
          + " left in the shortest history, found in a median of"
          + " \(median(caught.map(\.milliseconds))) ms")
    }
    let met = KnownLimit.allCases.map { "\($0) \(knownLimits[$0.rawValue])" }
    if knownLimits.contains(where: { $0 > 0 }) {
      lines.append(
        "simulate: histories in a known limit, all convergent: \(met.joined(separator: " "))")
    }
    if !brokenSeeds.isEmpty {
      let seeds = brokenSeeds.map { "\($0)" }.joined(separator: " ")
      lines.append("simulate: promises broken in the seeds \(seeds)")
    }
    if !neverReached.isEmpty {
      lines.append("simulate: never reached: \(neverReached.joined(separator: " "))")
    }
    let marks = Mark.allCases.map { "\($0.name) \(total.marks[$0.rawValue])" }
    lines.append(
      "simulate: mean \(mean(total.hotRecords)) hot records; situations:"
        + " \(marks.joined(separator: " "))")
    lines.append(
      "simulate: \(playedTwice) histories played twice went the same way; all of them together:"
        + " trace \(traceHash)")
    let classes = FaultClass.allCases.map { "\($0.name) \(total.faults[$0.rawValue])" }
    lines.append(
      "simulate: means \(mean(total.steps)) steps, \(mean(total.writes)) writes,"
        + " \(mean(total.faultCount)) faults, \(mean(total.devices)) devices;"
        + " fault classes: \(classes.joined(separator: " "))")
    lines.append(
      "simulate: \(histories) histories, \(total.writes) writes, \(total.faultCount) faults,"
        + " \(violations) violations, \(killed) of \(hunted.count) planted bugs killed,"
        + " \(rate) histories/s")
    return lines
  }

  /// A mean with one decimal.
  private func mean(_ sum: Int) -> String {
    let tenths = sum * 10 / max(1, histories)
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// The report as one JSON object.
  var json: String {
    func object(_ pairs: [(String, String)]) -> String {
      "{" + pairs.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
    let faults = FaultClass.allCases.map { ($0.name, "\(total.faults[$0.rawValue])") }
    let marks = Mark.allCases.map { ($0.name, "\(total.marks[$0.rawValue])") }
    let bugs = hunted.map { quarry in
      object([
        ("name", "\"\(quarry.name)\""),
        ("invariant", quarry.invariant.map { "\($0)" } ?? "null"),
        ("history", "\(quarry.history)"), ("writes", "\(quarry.writes)"),
      ])
    }
    let found = findings.map { finding in
      object([("seed", "\(finding.seed)"), ("invariant", "\(finding.violation.invariant)")])
    }
    return object([
      ("histories", "\(histories)"), ("steps", "\(total.steps)"), ("writes", "\(total.writes)"),
      ("devices", "\(total.devices)"), ("faults", object(faults)), ("situations", object(marks)),
      ("violations", "\(violations)"), ("knownLimits", "\(knownLimits.reduce(0, +))"),
      ("findings", "[\(found.joined(separator: ","))]"),
      ("planted", "[\(bugs.joined(separator: ","))]"), ("historiesPerSecond", "\(rate)"),
    ])
  }
}

/// What a run of many histories came to.
struct Summary {
  /// A planted bug and what became of it.
  struct Quarry: Equatable {
    var name: String
    /// The promise that caught it; nil if none did.
    var promise: Breach.Promise?
    /// The number of the history that caught it, or of those that did not.
    var history: Int
    var text: String
  }

  var histories = 0
  var writes = 0
  var checks = 0
  var faults = [Int](repeating: 0, count: FaultKind.allCases.count)
  var violations = 0
  /// The first findings by their seeds, whichever process is quicker.
  var findings: [Row] = []
  var hunted: [Quarry] = []
  var seconds = 0.0

  mutating func add(_ row: Row) {
    histories += 1
    writes += row.writes
    checks += row.checks
    for index in faults.indices { faults[index] += row.faults[index] }
    if row.breach != nil { add(finding: row) }
  }

  mutating func add(finding row: Row) {
    violations += 1
    let place = findings.firstIndex { $0.seed > row.seed } ?? findings.count
    findings.insert(row, at: place)
    if findings.count > 10 { findings.removeLast() }
  }

  var killed: Int { hunted.count { $0.promise != nil } }

  /// From this number of histories on every kind of fault must have come up.
  static let telling = 200

  var neverMet: [FaultKind] {
    histories < Self.telling ? [] : FaultKind.allCases.filter { faults[$0.rawValue] == 0 }
  }

  /// Whether everything that must hold does.
  var isGood: Bool { violations == 0 && killed == hunted.count && neverMet.isEmpty }

  private var rate: Double { Double(Int(Double(histories) / max(seconds, 0.001) * 10)) / 10 }

  var lines: [String] {
    var lines = hunted.map { quarry in
      let name = quarry.name + String(repeating: " ", count: max(0, 22 - quarry.name.count))
      guard let promise = quarry.promise else {
        return "planted: \(name) SURVIVED \(quarry.history) histories"
      }
      return "planted: \(name) \(promise.rawValue) in history \(quarry.history): \(quarry.text)"
    }
    if !neverMet.isEmpty {
      lines.append("simulate-sqlite: never met: \(neverMet.map(\.name).joined(separator: " "))")
    }
    let named = FaultKind.allCases.map { "\($0.name) \(faults[$0.rawValue])" }
    let bugs = hunted.isEmpty ? "" : " \(killed) of \(hunted.count) planted bugs killed,"
    lines.append(
      "simulate-sqlite: \(histories) histories, \(writes) writes, \(faults.reduce(0, +)) faults"
        + " (\(named.joined(separator: " "))), \(violations) violations,\(bugs)"
        + " \(checks) integrity checks, \(rate) histories/s")
    return lines
  }

  /// The report as one JSON object.
  var json: String {
    func object(_ pairs: [(String, String)]) -> String {
      "{" + pairs.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
    let bugs = hunted.map { quarry in
      object([
        ("name", "\"\(quarry.name)\""),
        ("promise", quarry.promise.map { "\"\($0.rawValue)\"" } ?? "null"),
        ("history", "\(quarry.history)"),
      ])
    }
    let found = findings.map { row in
      object([
        ("seed", "\(row.seed)"), ("promise", "\"\(row.breach?.promise.rawValue ?? "")\""),
      ])
    }
    let kinds = FaultKind.allCases.map { ($0.name, "\(faults[$0.rawValue])") }
    return object([
      ("histories", "\(histories)"), ("writes", "\(writes)"), ("faults", object(kinds)),
      ("violations", "\(violations)"), ("findings", "[\(found.joined(separator: ","))]"),
      ("planted", "[\(bugs.joined(separator: ","))]"), ("integrityChecks", "\(checks)"),
      ("historiesPerSecond", "\(rate)"),
    ])
  }
}

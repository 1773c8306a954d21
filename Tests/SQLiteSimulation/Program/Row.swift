/// What a process that plays says of one history, and another one reads.
struct Row: Equatable {
  var seed: UInt64
  var writes: Int
  var checks: Int
  var faults: [Int]
  var breach: Breach?

  init(_ outcome: History.Outcome) {
    seed = outcome.seed
    writes = outcome.report.writes
    checks = outcome.report.checks
    faults = outcome.report.faults
    breach = outcome.breach
  }

  var line: String {
    let text = (breach?.text ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    return [
      "played", "\(seed)", "\(writes)", "\(checks)",
      faults.map { "\($0)" }.joined(separator: ","), breach?.promise.rawValue ?? "-",
      text.split(separator: "\t").joined(separator: " "),
    ].joined(separator: "\t")
  }

  /// Reads a row; nil for any other line.
  init?(line: some StringProtocol) {
    let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard cells.count == 7, cells[0] == "played", let seed = UInt64(cells[1]),
      let writes = Int(cells[2]), let checks = Int(cells[3])
    else { return nil }
    self.seed = seed
    self.writes = writes
    self.checks = checks
    faults = cells[4].split(separator: ",").compactMap { Int($0) }
    guard faults.count == FaultKind.allCases.count else { return nil }
    if let promise = Breach.Promise(rawValue: String(cells[5])) {
      breach = Breach(promise: promise, text: String(cells[6]))
    }
  }
}

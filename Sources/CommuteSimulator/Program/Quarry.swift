/// A planted bug and what became of it.
struct Quarry {
  var name: String
  /// The number of the promise that caught it; nil if none did.
  var invariant: Int?
  /// The number of the history that caught it, or of those that did not.
  var history: Int
  /// How many writes are left of that history when it is made shorter.
  var writes: Int
  /// The processor time that making it shorter took, in milliseconds.
  var milliseconds = 0
  /// What was seen.
  var text: String

  init(
    name: String, invariant: Int?, history: Int, writes: Int, milliseconds: Int = 0, text: String
  ) {
    self.name = name
    self.invariant = invariant
    self.history = history
    self.writes = writes
    self.milliseconds = milliseconds
    self.text = text
  }

  /// The row that the planted build prints for the other one to read.
  var row: String {
    let number = invariant.map { "\($0)" } ?? "-"
    return ["quarry", name, number, "\(history)", "\(writes)", "\(milliseconds)", text]
      .joined(separator: "\t")
  }

  /// Reads a row; nil for any other line.
  init?(row: String) {
    let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
    guard cells.count == 7, cells[0] == "quarry", let history = Int(cells[3]),
      let writes = Int(cells[4]), let milliseconds = Int(cells[5])
    else { return nil }
    self.init(
      name: cells[1], invariant: Int(cells[2]), history: history, writes: writes,
      milliseconds: milliseconds, text: cells[6])
  }

  /// The row for people.
  var line: String {
    let padded = name.padding(to: 22)
    guard let invariant else {
      return "planted: \(padded) SURVIVED \(history) histories"
    }
    return "planted: \(padded) invariant \("\(invariant)".padding(to: 2)) history "
      + "\("\(history)".padding(to: 5)) \(writes) writes: \(text)"
  }
}

extension String {
  /// The text with spaces behind it up to a width.
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}

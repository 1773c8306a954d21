/// A row of sheets as SQL reads it, on a device or at the server.
struct SheetRow: Equatable {
  /// For each device the text of its own column.
  var own: [Substring]
  /// The number beside each.
  var counts: [Substring]
  var contested: Substring
  var isDeleted = false

  /// Reads `a|aCount|b|bCount|c|cCount|contested`.
  init?(_ columns: ArraySlice<Substring>) {
    let columns = Array(columns)
    guard columns.count == 2 * SheetValue.slots + 1 else { return nil }
    own = (0..<SheetValue.slots).map { columns[2 * $0] }
    counts = (0..<SheetValue.slots).map { columns[2 * $0 + 1] }
    contested = columns[columns.count - 1]
  }

  /// What contradicts the list in a row, wherever it lies.
  func problems(_ id: String, _ ledger: Ledger) -> [String] {
    var problems: [String] = []
    for slot in 0..<SheetValue.slots {
      guard let value = SheetValue(own[slot]) else {
        if !own[slot].isEmpty || counts[slot] != "0" {
          problems.append("\(id) holds '\(own[slot])' with \(counts[slot])")
        }
        continue
      }
      if String(value.sequence) != counts[slot] {
        problems.append("\(id) is half written: \(value.text) with \(counts[slot])")
      }
      if value.slot != slot || !ledger.isMeant(value, for: id, contested: false) {
        problems.append("\(id) holds \(value.text), which nobody wrote there")
      }
    }
    if let value = SheetValue(contested), !ledger.isMeant(value, for: id, contested: true) {
      problems.append("\(id) holds \(value.text), which nobody wrote there, for all")
    }
    return problems
  }

  /// Values that stand in more than one record.
  static func repeated(in rows: [String: SheetRow]) -> [String] {
    var seen: [Substring: String] = [:]
    var repeated: [String] = []
    for (id, row) in rows.sorted(by: { $0.key < $1.key }) {
      let values = row.own + (row.contested.isEmpty ? [] : ["all \(row.contested)"])
      for value in values where !value.isEmpty {
        if let first = seen.updateValue(id, forKey: value) {
          repeated.append("\(value) was applied twice: in \(first) and in \(id)")
        }
      }
    }
    return repeated
  }
}

import CommuteCore

/// A promise that was not kept.
struct Breach: Error, Sendable, Equatable {
  /// The kind of promise, one word.
  var promise: Promise
  var text: String

  /// What is promised.
  enum Promise: String, CaseIterable, Sendable {
    case trap, refusedWrite, halfWritten, notDurable, damaged, notReopened, identity, twice
    case notSettled, notEmpty, differs, lost, doubled, invented, overwritten, fresh, trace
  }
}

/// What the server holds of a record in the end.
struct Standing {
  var isThere: Bool
  var isGone: Bool
  var values: [Stock: FieldValue]
  var siblings: [Int]
}

/// Compares what stands in the end with what was written; it merges nothing.
struct Judge {
  let ledger: Ledger

  /// The first promise that a record breaks; nil where it breaks none.
  func judge(_ record: Int, _ standing: Standing) -> Breach? {
    if let breach = judgeDeletion(record, standing) { return breach }
    for stock in Stock.all(in: Shelf.key(record).table) {
      if let breach = judgeFates(stock, record, isGone: standing.isGone) { return breach }
      guard !standing.isGone, standing.isThere else { continue }
      let value = standing.values[stock] ?? .null
      let breach: Breach? =
        switch stock.manner {
        case .one: judgeOne(stock, record, value)
        case .greatest: judgeGreatest(stock, record, value)
        case .sum: judgeSum(stock, record, value)
        case .many: judgeMany(stock, record, value)
        case .beside: judgeBeside(stock, record, standing.siblings, value)
        }
      if let breach { return breach }
    }
    return nil
  }

  /// Whether an edit must have come to the server and must count there.
  private func counts(_ edit: Edit) -> Bool {
    ledger.applied.contains(edit.number) && !ledger.shaken.contains(edit.number)
  }

  private func judgeDeletion(_ record: Int, _ standing: Standing) -> Breach? {
    let deletions = ledger.edits(of: nil, record)
    if standing.isGone, deletions.isEmpty {
      return Breach(promise: .lost, text: "record \(record) is gone and nobody deleted it")
    }
    for edit in deletions where !standing.isGone && !ledger.hasTwins {
      if counts(edit) || edit.fate == .held && !ledger.shaken.contains(edit.number) {
        return Breach(promise: .lost, text: "record \(record) was deleted and is there")
      }
    }
    return nil
  }

  /// Every edit that is held came to the server, or its own device wrote over it.
  private func judgeFates(_ stock: Stock, _ record: Int, isGone: Bool) -> Breach? {
    let edits = ledger.edits(of: stock, record)
    for edit in edits where edit.fate == .held {
      if isGone || ledger.applied.contains(edit.number) || ledger.shaken.contains(edit.number) {
        continue
      }
      if edit.isOnlyRemoving || ledger.hasTwins { continue }
      // What was mended and is not greater than what is shown changes nothing, and is not sent.
      if edit.isRewritten, stock.manner == .greatest { continue }
      let isOver = edits.contains { later in
        guard later.device == edit.device, later.number > edit.number else { return false }
        return stock.manner == .many
          ? later.removed.contains(edit.number) : stock.manner != .sum
      }
      if isOver { continue }
      return Breach(
        promise: .lost, text: "\(name(edit)) was kept and never came to the server")
    }
    return nil
  }

  private func name(_ edit: Edit) -> String {
    "edit \(edit.number) of device \(edit.device) (\(edit.stock.map { "\($0)" } ?? "deletion")"
      + " of record \(edit.record))"
  }

  private func invented(_ number: Int, _ stock: Stock, _ record: Int) -> Breach? {
    guard let edit = ledger.edits[number], edit.stock == stock, edit.record == record else {
      return Breach(promise: .invented, text: "\(stock) of record \(record) holds \(number)")
    }
    if edit.fate == .withdrawn, !ledger.mayComeAgain, !ledger.applied.contains(number) {
      return Breach(promise: .invented, text: "\(name(edit)) was refused, let go, and stands")
    }
    return nil
  }

  private func judgeOne(_ stock: Stock, _ record: Int, _ value: FieldValue) -> Breach? {
    guard let stands = stock.edits(in: value).first else {
      return Breach(promise: .lost, text: "\(stock) of record \(record) holds \(value)")
    }
    if let breach = invented(stands, stock, record) { return breach }
    if ledger.hasTwins || ledger.shaken.contains(stands) { return nil }
    if ledger.edits[stands]?.isRewritten == true { return nil }
    for edit in ledger.edits(of: stock, record) where counts(edit) {
      guard edit.number != stands, ledger.saw(edit.number, stands) else { continue }
      return Breach(
        promise: .overwritten,
        text: "\(name(edit)) lost to \(stands), which its writer had seen")
    }
    return nil
  }

  private func judgeGreatest(_ stock: Stock, _ record: Int, _ value: FieldValue) -> Breach? {
    guard let stands = stock.edits(in: value).first else {
      return Breach(promise: .lost, text: "\(stock) of record \(record) holds \(value)")
    }
    return invented(stands, stock, record)
  }

  private func judgeSum(_ stock: Stock, _ record: Int, _ value: FieldValue) -> Breach? {
    guard case .integer(let sum) = value, sum >= 0 else {
      return Breach(promise: .doubled, text: "\(stock) of record \(record) holds \(value)")
    }
    if ledger.hasTwins { return nil }
    for edit in ledger.edits(of: stock, record) {
      guard let bit = edit.bit else { continue }
      let isCounted = sum >> Int64(bit) & 1 == 1
      if counts(edit), !isCounted {
        return Breach(promise: .lost, text: "\(name(edit)) is not counted in \(sum)")
      }
      if isCounted, !ledger.applied.contains(edit.number), !ledger.shaken.contains(edit.number) {
        return Breach(
          promise: .doubled, text: "\(name(edit)) is counted in \(sum) and never came")
      }
    }
    let known = ledger.edits(of: stock, record).reduce(0) { $0 | Int64($1.amount) }
    if sum & ~known != 0 {
      return Breach(promise: .doubled, text: "\(stock) of record \(record) counts \(sum)")
    }
    return nil
  }

  private func judgeMany(_ stock: Stock, _ record: Int, _ value: FieldValue) -> Breach? {
    let there = stock.edits(in: value)
    for number in there {
      if let breach = invented(number, stock, record) { return breach }
    }
    if stock == .tags, Set(there).count < there.count {
      return Breach(promise: .doubled, text: "\(stock) of record \(record) holds \(there)")
    }
    let edits = ledger.edits(of: stock, record)
    let removed = Set(edits.flatMap(\.removed))
    // A text that was mended was written anew over what was shown then.
    if stock == .note, edits.contains(where: \.isRewritten) { return nil }
    for edit in edits where counts(edit) && !edit.isOnlyRemoving {
      if there.contains(edit.number) || removed.contains(edit.number) || ledger.hasTwins {
        continue
      }
      return Breach(
        promise: .lost, text: "\(name(edit)) is not in \(there), and nobody took it out")
    }
    return judgeRemovals(edits, there)
  }

  /// What was in a set and taken out by one who saw it is not there any more.
  private func judgeRemovals(_ edits: [Edit], _ there: [Int]) -> Breach? {
    for edit in edits where edit.stock == .tags && edit.isOnlyRemoving && edit.fate == .held {
      if ledger.mayComeAgain || edits.contains(where: { $0.fate != .held }) { continue }
      for number in edit.removed where there.contains(number) {
        return Breach(promise: .lost, text: "\(name(edit)) took \(number) out, and it is there")
      }
    }
    return nil
  }

  private func judgeBeside(
    _ stock: Stock, _ record: Int, _ siblings: [Int], _ value: FieldValue
  ) -> Breach? {
    let there = siblings + stock.edits(in: value)
    for number in there {
      if let breach = invented(number, stock, record) { return breach }
    }
    let edits = ledger.edits(of: stock, record)
    for edit in edits where counts(edit) && !ledger.hasTwins {
      if there.contains(edit.number) { continue }
      // Somebody who had seen it has written since.
      if edits.contains(where: { $0.isRewritten || ledger.saw($0.number, edit.number) }) {
        continue
      }
      return Breach(
        promise: .lost, text: "\(name(edit)) does not stand beside \(there)")
    }
    return nil
  }
}

/// Compares the file of a device, which nobody has open, with the parent's list and the server.
struct DeviceCheck {
  /// What the file says of one change of the write that was announced and has not returned.
  private enum Trace {
    case there, notThere, untold
  }

  let slot: Int
  let file: DeviceFile
  let server: ServerFile

  private var name: String { SheetValue.name(slot) }

  // MARK: - Writes that did not return

  /// Finds out of each whether it was made: wholly or not at all.
  func resolve(_ ledger: inout Ledger, _ findings: inout Findings) {
    for (_, write) in ledger.open[slot].sorted(by: { $0.key < $1.key }) {
      resolve(write, &ledger, &findings)
    }
  }

  private func resolve(
    _ write: SheetWrite, _ ledger: inout Ledger, _ findings: inout Findings
  ) {
    var traces: [Trace] = []
    for (part, change) in write.changes.enumerated() {
      traces.append(trace(change, write.value(part), ledger))
    }
    if traces.contains(.there), traces.contains(.notThere) {
      findings.corrupt("write \(name)-\(write.sequence) is half made: \(write.text)")
    }
    if traces.contains(.there) {
      ledger.settle(slot, write.sequence)
    } else if traces.contains(.untold) {
      ledger.doubt(slot, write.sequence)
    } else {
      ledger.void(slot, write.sequence)
    }
  }

  private func trace(
    _ change: SheetWrite.Change, _ value: SheetValue, _ ledger: Ledger
  ) -> Trace {
    let id = change.record
    let account = ledger.records[id]
    if change.kind == .delete {
      if file.rows[id] != nil { return .notThere }
      let others = account.map { $0.deleters.union($0.perhapsDeleters).subtracting([slot]) } ?? []
      return file.deletes(id) || others.isEmpty ? .there : .untold
    }
    guard let row = file.rows[id] else {
      return change.kind == .insert && !ledger.mayBeDeleted(id) ? .notThere : .untold
    }
    if change.writesOwn { return SheetValue(row.own[slot]) == value ? .there : .notThere }
    if SheetValue(row.contested) == value { return .there }
    if file.pending("contested", of: id) == value { return .there }
    // Another device's value may have come after it.
    return (SheetValue(row.contested)?.slot ?? slot) == slot ? .notThere : .untold
  }

  // MARK: - Everything else

  /// Compares the file with the list.
  func check(_ ledger: Ledger, _ findings: inout Findings) {
    for problem in file.contradictions { findings.corrupt("device \(name): \(problem)") }
    for entry in file.inbox { findings.lose("device \(name) was refused \(entry)") }
    guard file.isMade else {
      if !ledger.touched[slot].isEmpty { findings.lose("device \(name) has lost its tables") }
      return
    }
    for problem in SheetRow.repeated(in: file.rows) {
      findings.corrupt("device \(name): \(problem)")
    }
    for (id, row) in file.rows {
      for problem in row.problems(id, ledger) { findings.corrupt("device \(name): \(problem)") }
      checkView(id, row, ledger, &findings)
      checkLine(id, row, &findings)
    }
    for id in ledger.touched[slot] where file.rows[id] == nil {
      if !ledger.mayBeDeleted(id) { findings.lose("device \(name) has lost \(id)") }
      checkDeletion(id, ledger, &findings)
    }
    for id in file.outbox.keys where file.rows[id] == nil {
      if !ledger.mayBeDeleted(id) {
        findings.corrupt("device \(name) has a change of \(id) in line and no such row")
      }
    }
    checkPlace(&findings)
  }

  /// Own values are the last ones that returned; a deletion that returned holds.
  private func checkView(
    _ id: String, _ row: SheetRow, _ ledger: Ledger, _ findings: inout Findings
  ) {
    let account = ledger.records[id] ?? RecordAccount()
    if account.deleters.contains(slot) {
      findings.lose("device \(name) shows \(id), which it has deleted")
    }
    if let expected = account.own[slot], SheetValue(row.own[slot]) != expected {
      findings.lose("device \(name) has lost \(expected.text): \(id) shows '\(row.own[slot])'")
    }
    let mine = account.contested[slot]
    guard let shown = SheetValue(row.contested), shown.slot == slot, !mine.isEmpty else { return }
    if !mine.contains(shown) {
      let expected = mine.map(\.text).sorted().joined(separator: " or ")
      findings.lose("device \(name) has lost \(expected): \(id) shows \(shown.text) for all")
    }
  }

  /// What the view shows is in line or at the server; what is in line is what the view shows.
  private func checkLine(_ id: String, _ row: SheetRow, _ findings: inout Findings) {
    if file.deletes(id) {
      findings.corrupt("device \(name) shows \(id), and its deletion is in line")
    }
    let pending = file.pending(name, of: id)
    let shown = SheetValue(row.own[slot])
    if let pending, pending != shown {
      findings.corrupt("\(pending.text) is in line, and \(id) shows '\(row.own[slot])'")
    }
    if pending == nil, let shown {
      let known = server.rows[id]
      if known?.isDeleted != true, known?.own[slot] != Substring(shown.text) {
        findings.corrupt("\(shown.text) is shown, and neither in line nor at the server")
      }
    }
    // Another device's value may carry a later stamp and be shown; an older one of its own may not.
    let common = SheetValue(row.contested)
    guard let waiting = file.pending("contested", of: id), waiting != common else { return }
    if common == nil || common?.slot == slot {
      findings.corrupt("\(waiting.text) is in line, and \(id) shows '\(row.contested)' for all")
    }
  }

  /// A deletion that returned is in line or at the server, unless the server never had the record.
  private func checkDeletion(_ id: String, _ ledger: Ledger, _ findings: inout Findings) {
    guard ledger.records[id]?.deleters.contains(slot) ?? false, !file.deletes(id),
      let known = server.rows[id], !known.isDeleted
    else { return }
    findings.corrupt("the deletion of \(id) is neither in line at \(name) nor at the server")
  }

  /// How far it has read and sent fits to the server.
  private func checkPlace(_ findings: inout Findings) {
    if file.cursor > server.head {
      findings.corrupt("device \(name) has read \(file.cursor) of \(server.head) changes")
    }
    if let request = server.requests[file.replica], request > file.number {
      findings.corrupt(
        "device \(name) has sent request \(request), and counts only \(file.number)")
    }
  }
}

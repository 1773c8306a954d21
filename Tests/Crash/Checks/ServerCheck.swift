/// Compares the file of the server, which nobody has open, with what devices saw acknowledged.
struct ServerCheck {
  let file: ServerFile

  /// Compares; `seen` holds the own values that the file showed before, of each record.
  func check(
    _ ledger: Ledger, seen: inout [String: [SheetValue?]], _ findings: inout Findings
  ) {
    for problem in file.contradictions { findings.corrupt("server: \(problem)") }
    for id in ledger.acknowledged.subtracting(file.operations) {
      findings.lose("the server has lost operation \(id), which it acknowledged")
    }
    for (id, account) in ledger.records {
      checkAcknowledged(id, account, &findings)
    }
    for problem in SheetRow.repeated(in: file.rows) { findings.corrupt("server: \(problem)") }
    for (id, row) in file.rows {
      for problem in row.problems(id, ledger) { findings.corrupt("server: \(problem)") }
      if row.isDeleted, !ledger.mayBeDeleted(id) {
        findings.corrupt("the server has deleted \(id), which nobody did")
      }
      let values = row.own.map { SheetValue($0) }
      for (before, now) in zip(seen[id] ?? [], values) {
        if let before, now.map({ $0 < before }) ?? true {
          findings.lose("the server had \(before.text) and shows '\(now?.text ?? "")'")
        }
      }
      seen[id] = values
    }
    for id in seen.keys where file.rows[id] == nil {
      findings.lose("the server has lost \(id), which it had")
    }
  }

  /// What was acknowledged is there, or something newer of the same device, or a deletion.
  private func checkAcknowledged(
    _ id: String, _ account: RecordAccount, _ findings: inout Findings
  ) {
    let row = file.rows[id]
    if account.isDeletionAcknowledged, row?.isDeleted != true {
      findings.lose("the server has acknowledged that \(id) is deleted, and shows it")
    }
    for case let last? in account.acknowledged where row?.isDeleted != true {
      let shown = row.flatMap { SheetValue($0.own[last.value.slot]) }
      if shown.map({ $0 < last.value }) ?? true {
        findings.lose("the server has acknowledged \(last.value.text), and shows an older one")
      }
    }
  }
}

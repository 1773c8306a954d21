/// Compares all files with each other and with the list, after everybody has come to rest.
struct RestCheck {
  let devices: [DeviceFile]
  let server: ServerFile

  /// Compares.
  func check(_ ledger: Ledger, _ findings: inout Findings) {
    let living = server.rows.filter { !$0.value.isDeleted }
    for (slot, device) in devices.enumerated() {
      let name = SheetValue.name(slot)
      for (id, row) in living where device.rows[id] != row {
        findings.corrupt("at rest device \(name) and the server differ in \(id)")
      }
      for id in device.rows.keys where living[id] == nil {
        findings.corrupt("at rest device \(name) shows \(id), and the server does not")
      }
      if device.cursor != server.head {
        findings.corrupt("at rest device \(name) has read \(device.cursor) of \(server.head)")
      }
    }
    for (id, account) in ledger.records { check(id, account, living[id], &findings) }
  }

  private func check(
    _ id: String, _ account: RecordAccount, _ row: SheetRow?, _ findings: inout Findings
  ) {
    guard let row else {
      if account.deleters.isEmpty, account.perhapsDeleters.isEmpty {
        findings.lose("\(id) is gone at rest, and nobody has deleted it")
      }
      return
    }
    if !account.deleters.isEmpty { findings.lose("\(id) is there at rest, and was deleted") }
    for slot in 0..<SheetValue.slots {
      let expected = account.own[slot]?.text ?? ""
      if row.own[slot] != expected[...] {
        findings.lose("\(id) shows '\(row.own[slot])' at rest, and not '\(expected)'")
      }
    }
    let candidates = Set(account.contested.flatMap { $0.map(\.text) })
    if !candidates.isEmpty, !candidates.contains(String(row.contested)) {
      findings.lose("\(id) shows '\(row.contested)' for all at rest, and that was not the last")
    }
  }
}

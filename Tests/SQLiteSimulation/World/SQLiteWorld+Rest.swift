import CommuteCore
import CommuteStore

/// The end of a history: faults stop, all is said, and what stands is judged.
extension SQLiteWorld {
  /// Plays healthy rounds until nothing is left to be said.
  func rest() async throws {
    tell("the faults stop")
    isCalm = true
    network = []
    for device in devices {
      device.skew = 0
      device.fullFor = 0
      if device.store == nil { try await reopen(device) }
    }
    for _ in 0..<Self.patience {
      time += 20_000
      var isQuiet = true
      for device in devices {
        if try await converse(device) { isQuiet = false }
      }
      if isQuiet { return }
    }
    throw Breach(promise: .notSettled, text: "healthy rounds come to no end")
  }

  private static let patience = 120

  /// One healthy round of a device; true where more must follow.
  private func converse(_ device: RealDevice) async throws -> Bool {
    for entry in try await entries(of: device) where entry.behind == nil {
      try await discard(entry, on: device)
    }
    let before = device.shots.last?.text
    try await startRound(on: device)
    while let parcel = network.popLast() { try await take(parcel) }
    let counts = try await device.store?.counts() ?? StoreCounts()
    return before != device.shots.last?.text || counts.waiting + counts.refused > 0
  }

  // MARK: - Judging

  func finish() async throws {
    for device in devices { try await checkEmpty(device) }
    try await checkAgreement()
    let judge = Judge(ledger: ledger)
    for record in 0..<Shelf.count {
      if let breach = judge.judge(record, standing(of: record)) { throw breach }
    }
    for device in devices {
      try await leave(device)
      try await reopen(device)
    }
    try await checkFreshDevice()
    for device in devices { await device.close() }
  }

  private func checkEmpty(_ device: RealDevice) async throws {
    try checkIntegrity(of: device)
    let counts = try await device.store?.counts() ?? StoreCounts()
    guard counts.waiting + counts.inFlight + counts.refused + counts.quarantined > 0 else { return }
    throw Breach(promise: .notEmpty, text: "\(device.number) still holds \(counts)")
  }

  /// What stands at the server of a record.
  private func standing(of record: Int) -> Standing {
    let key = Shelf.key(record)
    let state = server.state.records[key]?.state
    var values: [Stock: FieldValue] = [:]
    var siblings: [Int] = []
    for entry in state?.fields.entries ?? [] {
      guard let stock = Stock(key: entry.name) else { continue }
      values[stock] = entry.value.value
      if stock == .mood {
        siblings = entry.value.siblings.flatMap { stock.edits(in: $0.value) }
      }
    }
    return Standing(
      isThere: state != nil, isGone: state?.deleted != nil || server.state.stubs.contains(key),
      values: values, siblings: siblings)
  }

  /// Every device shows what the server holds, and all of it.
  private func checkAgreement() async throws {
    for device in devices {
      guard let store = device.store else { continue }
      let (books, memos) = try await store.read { tx in
        (try tx.fetch(Book.order(by: \.id)), try tx.fetch(Memo.order(by: \.id)))
      }
      for record in 0..<Shelf.count {
        let id = Shelf.id(record)
        let shown: (any Shelved)? =
          Shelf.isMemo(record)
          ? memos.first { $0.id == id } : books.first { $0.id == id }
        try check(device, record, shown)
      }
    }
  }

  private func check(_ device: RealDevice, _ record: Int, _ shown: (any Shelved)?) throws {
    let state = server.state.records[Shelf.key(record)]?.state
    let isThere = state != nil && state?.deleted == nil
    guard (shown != nil) == isThere else {
      throw Breach(
        promise: .differs,
        text: "record \(record) is \(isThere ? "not " : "")on \(device.number), unlike the server")
    }
    guard let shown, let state else { return }
    for stock in Stock.all(in: Shelf.key(record).table) {
      guard let held = state.fields[stock.key]?.value else { continue }
      let value = shown.value(of: stock)
      if value == held { continue }
      throw Breach(
        promise: .differs,
        text: "\(stock) of record \(record) is \(value) on \(device.number), the server: \(held)")
    }
  }

  /// A new device, which reads everything from the start, shows what the old ones show.
  private func checkFreshDevice() async throws {
    guard let old = devices.first?.shots.last else { return }
    try await addDevice(devices.count)
    guard let fresh = devices.last else { return }
    var before: String?
    while before != fresh.shots.last?.text {
      before = fresh.shots.last?.text
      try await startRound(on: fresh)
      while let parcel = network.popLast() { try await take(parcel) }
    }
    func alive(_ text: String) -> [Substring] {
      RealDevice.records(of: text).filter { !$0.hasPrefix("gone ") }
    }
    if alive(old.text) == alive(fresh.shots.last?.text ?? "") { return }
    throw Breach(promise: .fresh, text: "a fresh device shows \(difference(fresh, old))")
  }
}

import CommuteCore
import CommuteStore

/// What people do on their devices.
extension SQLiteWorld {
  /// Somebody writes: one to three changes in one transaction.
  func write(on device: RealDevice) async throws {
    var intents: [Intent] = []
    for _ in 0..<[1, 1, 1, 2, 3][draw(5)] { intents.append(drawIntent()) }
    let made = Made()
    let isFull = oneIn(4)
    let drawn = intents
    tell("\(device.number) is about to write \(drawn.map(\.words).joined(separator: ", "))")
    try await act(
      device, isFull ? "writes durably" : "writes", made: made,
      durable: { (_: Bool) in isFull && !made.edits.isEmpty }
    ) { store in
      try await store.write(durability: isFull ? .full : .normal) { tx in
        var edits: [Edit] = []
        for intent in drawn { edits += try intent.carryOut(in: tx) }
        made.set(edits)
        return true
      }
    }
  }

  private func drawIntent() -> Intent {
    let record = draw(4) < 3 ? draw(3) : draw(Shelf.count)
    let stocks = Stock.all(in: Shelf.key(record).table)
    let stock = stocks[draw(stocks.count)]
    var intent = Intent(
      record: record, stock: stock, first: ledger.take(), bit: ledger.takeBit(record, stock))
    intent.isBad = oneIn(6)
    intent.deletes = oneIn(40)
    intent.rolls = [draw(3), draw(97), draw(89)]
    return intent
  }

  // MARK: - The inbox

  /// Somebody looks into the inbox and decides about the first entry.
  func decide(on device: RealDevice) async throws {
    guard let entry = try await entries(of: device).first(where: { $0.behind == nil }) else {
      return
    }
    let bad: Stock? = entry.key.table == "book" ? .title : .body
    if let bad, entry.refused.fields[bad.key] != nil, oneIn(2) {
      return try await mend(entry, bad, on: device)
    }
    try await discard(entry, on: device)
  }

  func entries(of device: RealDevice) async throws -> [InboxEntry] {
    try await device.store?.inbox() ?? []
  }

  /// Makes a good change of a refused one.
  private func mend(_ entry: InboxEntry, _ stock: Stock, on device: RealDevice) async throws {
    guard let record = Shelf.number(of: entry.key) else { return }
    let edit = Edit(number: ledger.take() + stock.rawValue, record: record, stock: stock)
    // What stood behind a refused creation is part of what the person makes anew.
    for behind in try await entries(of: device) where behind.behind == entry.id {
      for number in ledger.numbers(in: behind.refused) {
        ledger.doubt(number, device: device.number)
      }
    }
    let made = Made()
    try await act(device, "mends \(stock) of \(record) as \(edit.number)", made: made) { store in
      made.set([edit])
      let isDone = try await store.edit(
        entry, values: FieldMap([(stock.key, .text(Stock.word(edit.number)))]))
      if !isDone { made.set([]) }
      return isDone
    }
    ledger.rewrote(ledger.numbers(in: entry.refused))
  }

  /// Gives a refused change up, and what goes with it.
  func discard(_ entry: InboxEntry, on device: RealDevice) async throws {
    let before = try await entries(of: device)
    let done = try await act(device, "gives entry \(entry.id) up") { store in
      try await store.discard(entry)
    }
    for gone in before where gone.id == entry.id || gone.behind == entry.id {
      let operation = gone.refused
      for number in ledger.numbers(in: operation) {
        if done == nil {
          ledger.doubt(number, device: device.number)
        } else {
          ledger.withdrew(number, device: device.number)
        }
      }
    }
  }
}

extension Ledger {
  /// The edits that an operation carries.
  func numbers(in operation: CommuteCore.Operation) -> [Int] {
    guard let record = Shelf.number(of: operation.key) else { return [] }
    var found: [Int] = []
    for entry in operation.fields.entries {
      guard let stock = Stock(key: entry.name) else { continue }
      switch entry.value.detail {
      case .total(let shares):
        for share in shares { found += adders(of: share.up, record, stock) }
      case .tags(let change):
        found += stock.edits(in: .list(change.added.map(\.element)))
        // Which addition of a tag it removes is not said; any removal of this record may be meant.
        if !change.removed.isEmpty {
          found += edits(of: stock, record).filter(\.isOnlyRemoving).map(\.number)
        }
      case .none, .replaces:
        // A text says again what it was made of, which may have been refused before.
        let known = entry.value.base.map { stock.edits(in: $0) } ?? []
        found += stock.edits(in: entry.value.value).filter { !known.contains($0) }
      }
    }
    if operation.deleted != nil { found += edits(of: nil, record).map(\.number) }
    return found
  }

  /// The edits whose bits are in a total.
  func adders(of total: UInt64, _ record: Int, _ stock: Stock) -> [Int] {
    edits(of: stock, record).filter { edit in
      edit.bit.map { total >> UInt64($0) & 1 == 1 } ?? false
    }.map(\.number)
  }

  /// The edits whose values a record of the server holds.
  func numbers(in state: RecordState, _ record: Int) -> [Int] {
    var found: [Int] = []
    for entry in state.fields.entries {
      guard let stock = Stock(key: entry.name) else { continue }
      if stock.manner == .sum, case .integer(let sum) = entry.value.value {
        found += adders(of: UInt64(clamping: sum), record, stock)
      }
      found += stock.edits(in: entry.value.value)
      for sibling in entry.value.siblings { found += stock.edits(in: sibling.value) }
    }
    if state.deleted != nil { found += edits(of: nil, record).map(\.number) }
    return found
  }
}

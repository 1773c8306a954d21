/// The parent's list: what was announced, what has returned, what was acknowledged.
///
/// It is what the files are compared with; it knows nothing of stores, stamps or merging.
struct Ledger {
  /// A write that never was must not turn up anywhere; these may.
  private(set) var intended: [SheetValue: SheetWrite.Change] = [:]
  private(set) var records: [String: RecordAccount] = [:]
  /// Each device's writes that were announced and have not returned, by their numbers; those of one
  /// device at one time are about different records.
  private(set) var open = [[Int: SheetWrite]](repeating: [:], count: SheetValue.slots)
  /// The records that each device has written to since its file is new.
  private(set) var touched = [Set<String>](repeating: [], count: SheetValue.slots)
  /// The number of each device's next write.
  private(set) var sequence = [Int](repeating: 1, count: SheetValue.slots)
  /// The operations that a device saw acknowledged.
  private(set) var acknowledged: Set<Substring> = []
  /// How many writes have returned.
  private(set) var returned = 0

  /// A device announces a write.
  mutating func announce(_ write: SheetWrite) {
    open[write.slot][write.sequence] = write
    sequence[write.slot] = max(sequence[write.slot], write.sequence + 1)
    for (part, change) in write.changes.enumerated() where change.kind != .delete {
      intended[write.value(part)] = change
    }
  }

  /// An announced write counts: it returned, or was found in the file.
  mutating func settle(_ slot: Int, _ number: Int) {
    guard let write = open[slot].removeValue(forKey: number) else { return }
    returned += 1
    for (part, change) in write.changes.enumerated() {
      touched[slot].insert(change.record)
      var record = records[change.record] ?? RecordAccount()
      if change.kind == .delete { record.deleters.insert(slot) }
      if change.writesOwn { record.own[slot] = write.value(part) }
      if change.writesContested { record.contested[slot] = [write.value(part)] }
      records[change.record] = record
    }
  }

  /// An announced write was refused, or is not in the file: it never was.
  mutating func void(_ slot: Int, _ number: Int) {
    guard let write = open[slot].removeValue(forKey: number) else { return }
    for part in write.changes.indices { intended[write.value(part)] = nil }
  }

  /// The file does not tell whether an announced write was made.
  ///
  /// A record that nobody made stays unknown: an author may try to change one whose insertion was
  /// left out or refused.
  mutating func doubt(_ slot: Int, _ number: Int) {
    guard let write = open[slot].removeValue(forKey: number) else { return }
    for (part, change) in write.changes.enumerated() {
      guard var record = records[change.record] else { continue }
      if change.kind == .delete { record.perhapsDeleters.insert(slot) }
      if change.writesContested { record.contested[slot].insert(write.value(part)) }
      records[change.record] = record
    }
  }

  /// A device got a new and empty file; everything it wrote is at the server.
  mutating func renew(_ slot: Int) {
    touched[slot] = []
  }

  /// Whether somebody has deleted a record, or may have, or is about to.
  func mayBeDeleted(_ id: String) -> Bool {
    if let record = records[id], !record.deleters.isEmpty || !record.perhapsDeleters.isEmpty {
      return true
    }
    return open.contains { writes in
      writes.values.contains { write in
        write.changes.contains { $0.kind == .delete && $0.record == id }
      }
    }
  }

  /// Whether a value was meant for this record and column.
  func isMeant(_ value: SheetValue, for id: String, contested: Bool) -> Bool {
    guard let change = intended[value], change.record == id else { return false }
    return contested ? change.writesContested : change.writesOwn
  }

  /// A device saw an operation acknowledged: id, record, `D`, own value and stamp, contested ones.
  ///
  /// - Returns: What is wrong with it; nil if nothing is.
  mutating func acknowledge(_ words: [Substring], of slot: Int) -> String? {
    guard words.count == 7 else { return "it was told too little of an acknowledgement" }
    acknowledged.insert(words[0])
    let id = String(words[1])
    var record = records[id] ?? RecordAccount()
    defer { records[id] = record }
    if words[2] == "D" { record.isDeletionAcknowledged = true }
    guard let value = SheetValue(words[3]) else { return nil }
    let last = record.acknowledged[slot]
    if let last, last.value < value, last.stamp >= words[4] {
      return "\(value.text) has the stamp \(words[4]), \(last.value.text) before it \(last.stamp)"
    }
    if last.map({ $0.value < value }) ?? true { record.acknowledged[slot] = (value, words[4]) }
    return nil
  }
}

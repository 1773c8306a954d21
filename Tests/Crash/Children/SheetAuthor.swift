import CommuteCore
import CommuteStore
import CommuteTestKit
import Foundation

/// What a device writes: announced, written, and reported before the next.
struct SheetAuthor: Sendable {
  /// So many records live at once; then the author deletes instead of inserting.
  private static let crowd = 240

  private let order: DeviceOrder
  private let store: Store
  private let fuse: Fuse
  private let reporter: Reporter
  private var generator: SeededGenerator
  private var sequence: Int
  private var known: [RecordID] = []

  init(_ order: DeviceOrder, store: Store, fuse: Fuse, reporter: Reporter) {
    self.order = order
    self.store = store
    self.fuse = fuse
    self.reporter = reporter
    generator = SeededGenerator(seed: order.seed)
    sequence = order.sequence
  }

  /// Looks around before the first write.
  mutating func begin() async throws {
    try await look()
    if order.plant == .doubleApply { try await writeLastAgain() }
  }

  /// Looks which records there are.
  mutating func look() async throws {
    known = try await store.read { tx in try tx.fetch(Sheet.all).map(\.id) }
  }

  /// Makes one write, or some at once that share a transaction.
  mutating func write() async throws {
    var writes = [nextWrite()]
    if generator.draw(6) == 0 { writes += [nextWrite(), nextWrite()] }
    let durability = generator.draw(5) == 0 ? Durability.full : .normal
    var records: Set<String> = []
    writes = writes.filter { write in
      let own = Set(write.changes.map(\.record))
      defer { records.formUnion(own) }
      return own.isDisjoint(with: records)
    }
    for write in writes { reporter.tell("i \(write.text)") }
    if writes.count == 1 {
      try await perform(writes[0], durability)
    } else {
      try await withThrowingTaskGroup(of: Void.self) { [self] group in
        for write in writes { group.addTask { try await perform(write, durability) } }
        try await group.waitForAll()
      }
    }
    if order.plant == .halfWrite, sequence % 3 == 0 {
      try HalfWrite.forgetLastOperation(in: store.databasePath)
    }
  }

  private mutating func nextWrite() -> SheetWrite {
    defer { sequence += 1 }
    return SheetWrite(slot: order.slot, sequence: sequence, changes: nextChanges())
  }

  private func perform(_ write: SheetWrite, _ durability: Durability) async throws {
    if order.plant == .lostWrite { reporter.tell("w \(write.sequence)") }
    do {
      try await store.write(durability: durability) { [fuse] tx in
        for (part, change) in write.changes.enumerated() {
          fuse.pass("betweenStatements")
          try Self.make(change, value: write.value(part), in: tx)
        }
      }
    } catch StoreError.refused(let refusal) {
      return reporter.tell("x \(write.sequence) \(refusal)")
    }
    fuse.pass("returned")
    if order.plant != .lostWrite { reporter.tell("w \(write.sequence)") }
    fuse.pass("reported")
  }

  private static func make(
    _ change: SheetWrite.Change, value: SheetValue, in tx: borrowing WriteTransaction
  ) throws {
    let id = RecordID(digits: change.record) ?? .zero
    switch change.kind {
    case .insert:
      var sheet = Sheet(id: id, contested: value.text)
      sheet.setOwn(value)
      try tx.insert(sheet)
    case .delete: try tx.delete(Sheet.self, id)
    case .own, .contested, .both:
      try tx.update(Sheet.self, id) { sheet in
        if change.writesOwn { sheet.setOwn(value) }
        if change.writesContested { sheet.contested = value.text }
      }
    }
  }

  private mutating func nextChanges() -> [SheetWrite.Change] {
    guard !known.isEmpty else { return [insertion()] }
    switch generator.draw(100) {
    case 0..<30: return [known.count < Self.crowd ? insertion() : deletion()]
    case 30..<55: return [change(.own)]
    case 55..<68: return [change(.both)]
    case 68..<78: return [change(.contested)]
    case 78..<86: return [change(.own), insertion()]
    case 86..<95:
      let (one, other) = (change(.both), change(.own))
      return one.record == other.record ? [one] : [one, other]
    default: return [deletion()]
    }
  }

  private mutating func change(_ kind: SheetWrite.Change.Kind) -> SheetWrite.Change {
    SheetWrite.Change(kind: kind, record: known[generator.draw(known.count)].digits)
  }

  private mutating func insertion() -> SheetWrite.Change {
    let id = RecordID.new(milliseconds: UInt64(sequence), using: &generator)
    known.append(id)
    return SheetWrite.Change(kind: .insert, record: id.digits)
  }

  private mutating func deletion() -> SheetWrite.Change {
    let index = generator.draw(known.count)
    known.swapAt(index, known.count - 1)
    return SheetWrite.Change(kind: .delete, record: known.removeLast().digits)
  }

  /// The lie `double-apply`: the last value of this device goes into one more record.
  private mutating func writeLastAgain() async throws {
    let slot = order.slot
    let sheets = try await store.read { tx in try tx.fetch(Sheet.all) }
    guard let last = sheets.compactMap({ $0.own(slot) }).max() else { return }
    let id = RecordID.new(milliseconds: 0, using: &generator)
    try await store.write { tx in
      var sheet = Sheet(id: id)
      sheet.setOwn(last)
      try tx.insert(sheet)
    }
  }
}

import CommuteCore

/// Where records stand: in the outbox, which is asked for every record that is written or pulled.
///
/// An open table of 64-bit hashes of the ids, each with one place; of a record that is not in it it
/// may give those of one that is. What is offered to the server again stands at place 0.
struct RecordPlaces {
  private struct Slot {
    /// 0 where the slot is empty; a hash of 0 is kept as 1.
    var hash: UInt64 = 0
    var place: Int64 = 0
  }

  /// The place of what is offered again.
  static let offer: Int64 = 0

  private var slots: [Slot] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Whether the record may stand anywhere.
  func contains(_ id: RecordID) -> Bool {
    if count == 0 { return false }
    let hash = Self.hash(of: id)
    var slot = home(of: hash)
    while slots[slot].hash != 0 {
      if slots[slot].hash == hash { return true }
      slot = (slot + 1) & (slots.count - 1)
    }
    return false
  }

  /// Where rows of the record may stand, rising; what is offered is no row.
  func places(of id: RecordID) -> [Int64] {
    if count == 0 { return [] }
    let hash = Self.hash(of: id)
    var places: [Int64] = []
    var slot = home(of: hash)
    while slots[slot].hash != 0 {
      if slots[slot].hash == hash, slots[slot].place != Self.offer {
        places.append(slots[slot].place)
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    if places.count > 1 { places.sort() }
    return places
  }

  /// Takes note of a row of a record, or of its offer.
  mutating func insert(_ id: RecordID, at place: Int64) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    let new = Slot(hash: Self.hash(of: id), place: place)
    var slot = home(of: new.hash)
    while slots[slot].hash != 0 {
      if slots[slot].hash == new.hash, slots[slot].place == place { return }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = new
    count += 1
  }

  /// Forgets a row of a record, or its offer.
  mutating func remove(_ id: RecordID, at place: Int64) {
    if count == 0 { return }
    let hash = Self.hash(of: id)
    var slot = home(of: hash)
    while slots[slot].hash != hash || slots[slot].place != place {
      if slots[slot].hash == 0 { return }
      slot = (slot + 1) & (slots.count - 1)
    }
    count -= 1
    close(slot)
  }

  /// Moves what stands behind an emptied slot to where it is looked for.
  private mutating func close(_ emptied: Int) {
    let mask = slots.count - 1
    var hole = emptied
    var slot = (emptied + 1) & mask
    while slots[slot].hash != 0 {
      let home = home(of: slots[slot].hash)
      if (slot - home) & mask >= (slot - hole) & mask {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = (slot + 1) & mask
    }
    slots[hole] = Slot()
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: max(64, old.count * 2))
    for kept in old where kept.hash != 0 {
      var slot = home(of: kept.hash)
      while slots[slot].hash != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = kept
    }
  }

  private func home(of hash: UInt64) -> Int {
    Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 32) & (slots.count - 1)
  }

  private static func hash(of id: RecordID) -> UInt64 {
    max(id.low ^ (id.high &* 0xBF58_476D_1CE4_E5B9), 1)
  }
}

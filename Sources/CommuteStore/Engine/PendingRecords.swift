import CommuteCore

/// Which records have rows in the outbox: asked for every record that is written or pulled.
///
/// It may say yes where there are none any more, never no where there are some: an open table of
/// 64-bit hashes of the ids. An id is forgotten only when no table's record of it has a row.
struct PendingRecords {
  /// The hashes, 0 where a slot is empty; a hash of 0 is kept as 1.
  private var slots: [UInt64] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Whether the record may have rows in the outbox.
  func contains(_ id: RecordID) -> Bool {
    if count == 0 { return false }
    let half = Self.half(of: id)
    var slot = home(of: half)
    while slots[slot] != 0 {
      if slots[slot] == half { return true }
      slot = (slot + 1) & (slots.count - 1)
    }
    return false
  }

  /// Takes note of a record with rows in the outbox.
  mutating func insert(_ id: RecordID) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    let half = Self.half(of: id)
    var slot = home(of: half)
    while slots[slot] != 0 {
      if slots[slot] == half { return }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = half
    count += 1
  }

  /// Forgets a record: its last row left the outbox.
  mutating func remove(_ id: RecordID) {
    if count == 0 { return }
    let half = Self.half(of: id)
    var slot = home(of: half)
    while slots[slot] != half {
      if slots[slot] == 0 { return }
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
    while slots[slot] != 0 {
      let home = home(of: slots[slot])
      if (slot - home) & mask >= (slot - hole) & mask {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = (slot + 1) & mask
    }
    slots[hole] = 0
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: max(64, old.count * 2))
    for half in old where half != 0 {
      var slot = home(of: half)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = half
    }
  }

  private func home(of half: UInt64) -> Int {
    Int(truncatingIfNeeded: (half &* 0x9E37_79B9_7F4A_7C15) >> 32) & (slots.count - 1)
  }

  private static func half(of id: RecordID) -> UInt64 {
    max(id.low ^ (id.high &* 0xBF58_476D_1CE4_E5B9), 1)
  }
}

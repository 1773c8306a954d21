import CommuteCore

extension Packer {
  /// A stamp on its own: time and the replica's number.
  mutating func put(_ stamp: Stamp, names: inout NumberedNames) {
    put(fixed: stamp.time)
    put(names.number(of: stamp.replica))
  }

  /// A list of stamps: the first whole, the others by their distance from the one before.
  mutating func put(_ stamps: [Stamp], names: inout NumberedNames) {
    put(stamps.count)
    var last: UInt64 = 0
    for (index, stamp) in stamps.enumerated() {
      if index == 0 {
        put(fixed: stamp.time)
      } else {
        put(signed: Int64(bitPattern: stamp.time &- last))
      }
      put(names.number(of: stamp.replica))
      last = stamp.time
    }
  }

  /// A list of stamps in fewer bytes: the first whole, the others by the milliseconds since the one
  /// before, and their counter, which is nearly always small.
  mutating func put(close stamps: [Stamp], names: inout NumberedNames) {
    put(stamps.count)
    var last: UInt64 = 0
    for (index, stamp) in stamps.enumerated() {
      if index == 0 {
        put(fixed: stamp.time)
      } else {
        put(signed: Int64(stamp.time >> 16) - Int64(last >> 16))
        put(stamp.time & 0xFFFF)
      }
      put(names.number(of: stamp.replica))
      last = stamp.time
    }
  }

  /// A revision: the epoch's number and the number in it.
  mutating func put(_ revision: Revision, names: inout NumberedNames) {
    put(names.number(of: revision.epoch))
    put(revision.number)
  }

  /// Runs of bytes by name.
  mutating func put(_ members: FieldMap<[UInt8]>) {
    put(members.count)
    for entry in members.entries {
      put(entry.name.text)
      put(entry.value)
    }
  }
}

extension Unpacker {
  mutating func stamp(names: NumberedNames) throws(StoreError) -> Stamp {
    let time = try fixed()
    return Stamp(time: time, replica: try names.replica(try index()))
  }

  mutating func stamps(names: NumberedNames) throws(StoreError) -> [Stamp] {
    var stamps: [Stamp] = []
    var last: UInt64 = 0
    for index in 0..<(try count()) {
      let time = index == 0 ? try fixed() : last &+ UInt64(bitPattern: try signed())
      stamps.append(Stamp(time: time, replica: try names.replica(try self.index())))
      last = time
    }
    return stamps
  }

  mutating func closeStamps(names: NumberedNames) throws(StoreError) -> [Stamp] {
    var stamps: [Stamp] = []
    var last: UInt64 = 0
    for index in 0..<(try count()) {
      if index == 0 {
        last = try fixed()
      } else {
        let milliseconds = Int64(last >> 16) &+ (try signed())
        let counter = try number()
        guard milliseconds >= 0, milliseconds < 1 << 48, counter <= 0xFFFF else {
          throw Self.damage
        }
        last = UInt64(milliseconds) << 16 | counter
      }
      stamps.append(Stamp(time: last, replica: try names.replica(try self.index())))
    }
    return stamps
  }

  mutating func revision(names: NumberedNames) throws(StoreError) -> Revision {
    let epoch = try names.epoch(try index())
    return Revision(epoch: epoch, number: try number())
  }

  mutating func members() throws(StoreError) -> FieldMap<[UInt8]> {
    var members = FieldMap<[UInt8]>()
    for _ in 0..<(try count()) {
      let name = Key(try text())
      members.append(name, try run())
    }
    return members
  }
}

/// The distinct stamps of a record: most fields of a record share one.
struct StampList {
  private(set) var stamps: [Stamp] = []

  /// Forgets all and keeps the memory.
  mutating func removeAll() {
    stamps.removeAll(keepingCapacity: true)
  }

  /// The place of a stamp, which is added where it is new.
  mutating func place(of stamp: Stamp) -> Int {
    if let index = stamps.lastIndex(of: stamp) { return index }
    stamps.append(stamp)
    return stamps.count - 1
  }
}

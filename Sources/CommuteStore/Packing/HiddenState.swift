import CommuteCore
import CommuteSQLite

/// The column `_commute`: what the engine knows of a row beside the values that anyone can read.
///
/// ```
/// 128 + flags · fields in the file · [revision] · [author] · stamps · [places]
///   · [origins] · [merge states] · [unknown fields] · [unknown members]
/// ```
/// Where all fields share one stamp, that stamp stands alone: a fresh row takes 11 bytes. Otherwise
/// the distinct stamps are listed, and half a byte a field of the file says which is its own, 0 for
/// none; a whole byte where there are more than 15 stamps. The author is left out where it is the
/// user of this device.
///
/// Rows that were written before schema 7 begin with 1 · flags, list their stamps in a longer form,
/// and have a byte a place; they stay so until they are written again.
enum HiddenState {
  private static let formerFormat: UInt8 = 1
  private static let marker: UInt8 = 128

  private struct Flags: OptionSet {
    var rawValue: UInt8
    static let revision = Flags(rawValue: 1)
    static let author = Flags(rawValue: 2)
    static let places = Flags(rawValue: 4)
    static let origins = Flags(rawValue: 8)
    static let merge = Flags(rawValue: 16)
    static let fields = Flags(rawValue: 32)
    static let members = Flags(rawValue: 64)
  }

  /// What a row begins with.
  private struct Head {
    let flags: Flags
    /// Whether it was written before schema 7.
    let isFormer: Bool
  }

  /// What of a record's fields has a column and what has none.
  private struct Sorting {
    var stamps = StampList()
    /// For each field as declared: one more than the place of its stamp, 0 for none.
    var places: [UInt8]
    var origins: [(field: Int, stamp: Stamp)] = []
    var merge: [(field: Int, bytes: [UInt8])] = []
    /// Positions of the entries that have no column.
    var strangers: [Int] = []
    var shared = true

    init(_ state: RecordState, in shape: TableShape) {
      places = [UInt8](repeating: 0, count: shape.layout.count)
      let entries = state.fields.entries
      var position = 0
      for index in entries.indices {
        guard let field = shape.next(entries[index].name, from: &position),
          shape.layout.fields[field].admits(entries[index].value.value)
        else {
          strangers.append(index)
          continue
        }
        let value = entries[index].value
        places[field] = UInt8(stamps.place(of: value.stamp) + 1)
        if value.origin != value.stamp { origins.append((field, value.origin)) }
        if !value.merge.isEmpty { merge.append((field, value.merge)) }
      }
      shared = stamps.stamps.count == 1 && !places.contains(0)
    }
  }

  /// Writes the hidden column of a state.
  static func pack(
    _ state: RecordState, shape: TableShape, names: inout NumberedNames, user: String,
    into packer: inout Packer
  ) {
    let sorting = Sorting(state, in: shape)
    var flags: Flags = sorting.shared ? [] : .places
    if !sorting.origins.isEmpty { flags.insert(.origins) }
    if !sorting.merge.isEmpty { flags.insert(.merge) }
    if !sorting.strangers.isEmpty { flags.insert(.fields) }
    if !state.unknown.isEmpty { flags.insert(.members) }
    putHead(
      flags, state.revision, state.author, user: user, shape: shape, names: &names, into: &packer)
    if sorting.shared {
      packer.put(sorting.stamps.stamps[0], names: &names)
    } else {
      packer.put(close: sorting.stamps.stamps, names: &names)
      put(sorting.places, of: sorting.stamps.stamps.count, shape: shape, into: &packer)
    }
    putRest(of: state, sorting, shape: shape, names: &names, into: &packer)
  }

  /// Which stamp is each field's: half a byte each where that holds the count of stamps.
  private static func put(
    _ places: [UInt8], of stampCount: Int, shape: TableShape, into packer: inout Packer
  ) {
    guard stampCount <= 15 else {
      for field in shape.declared { packer.put(byte: places[field]) }
      return
    }
    var half: UInt8?
    for field in shape.declared {
      if let low = half {
        packer.put(byte: low | places[field] << 4)
        half = nil
      } else {
        half = places[field]
      }
    }
    if let half { packer.put(byte: half) }
  }

  /// What stands before the number of fields.
  private static func head(_ reader: inout Unpacker) throws(StoreError) -> Head {
    let first = try reader.byte()
    if first >= marker { return Head(flags: Flags(rawValue: first & ~marker), isFormer: false) }
    guard first == formerFormat else { throw Unpacker.damage }
    return Head(flags: Flags(rawValue: try reader.byte()), isFormer: true)
  }

  /// Reads the stamps of a row, and for each field as declared one more than the place of its own;
  /// the places were 0, for none.
  private static func readStamps(
    _ reader: inout Unpacker, _ head: Head, covered: Int, shape: TableShape, names: NumberedNames,
    into stamps: inout [Stamp], _ places: inout [UInt8]
  ) throws(StoreError) {
    guard head.flags.contains(.places) else {
      for place in 0..<covered { places[shape.declared[place]] = 1 }
      return stamps.append(try reader.stamp(names: names))
    }
    stamps =
      head.isFormer ? try reader.stamps(names: names) : try reader.closeStamps(names: names)
    var last: UInt8 = 0
    for place in 0..<covered {
      let isHalf = !head.isFormer && stamps.count <= 15
      if !isHalf || place % 2 == 0 { last = try reader.byte() }
      let found = isHalf ? (place % 2 == 0 ? last & 15 : last >> 4) : last
      guard Int(found) <= stamps.count else { throw Unpacker.damage }
      places[shape.declared[place]] = found
    }
  }

  private static func putRest(
    of state: RecordState, _ sorting: Sorting, shape: TableShape, names: inout NumberedNames,
    into packer: inout Packer
  ) {
    if !sorting.origins.isEmpty {
      packer.put(sorting.origins.count)
      for entry in sorting.origins {
        packer.put(shape.placeInFile(of: entry.field))
        packer.put(entry.stamp, names: &names)
      }
    }
    if !sorting.merge.isEmpty {
      packer.put(sorting.merge.count)
      for entry in sorting.merge {
        packer.put(shape.placeInFile(of: entry.field))
        packer.put(entry.bytes)
      }
    }
    if !sorting.strangers.isEmpty {
      packer.put(sorting.strangers.count)
      for index in sorting.strangers {
        let entry = state.fields.entries[index]
        packer.put(entry.name.text)
        packer.put([entry.value.stamp], names: &names)
        packer.put(entry.value, place: 0, names: &names)
      }
    }
    if !state.unknown.isEmpty { packer.put(state.unknown) }
  }

  /// Writes the hidden column of a state whose fields all have a column and share one stamp.
  static func packShared(
    _ stamp: Stamp, revision: Revision?, author: String, shape: TableShape,
    names: inout NumberedNames, user: String, into packer: inout Packer
  ) {
    putHead([], revision, author, user: user, shape: shape, names: &names, into: &packer)
    packer.put(stamp, names: &names)
  }

  /// Begins a row: what stands before the stamps.
  ///
  /// The author need not be written where it is nobody yet, or the user of this device.
  private static func putHead(
    _ others: Flags, _ revision: Revision?, _ author: String, user: String, shape: TableShape,
    names: inout NumberedNames, into packer: inout Packer
  ) {
    let isImplied = revision == nil ? author.isEmpty : author.hasSameBytes(as: user)
    var flags = others
    if revision != nil { flags.insert(.revision) }
    if !isImplied { flags.insert(.author) }
    packer.removeAll()
    packer.put(byte: marker | flags.rawValue)
    packer.put(shape.layout.count)
    if let revision { packer.put(revision, names: &names) }
    if !isImplied { packer.put(author) }
  }

  /// Writes the hidden column of a row whose fields were all stamped now and never told before.
  static func packFresh(
    _ stamp: Stamp, shape: TableShape, names: inout NumberedNames, into packer: inout Packer
  ) {
    packer.removeAll()
    packer.put(byte: marker | (shape.layout.count == 0 ? Flags.places.rawValue : 0))
    packer.put(shape.layout.count)
    if shape.layout.count == 0 {
      packer.put(close: [], names: &names)
    } else {
      packer.put(stamp, names: &names)
    }
  }

  /// Reads a row of ``TableShape/selection``: the values with what the hidden column knows of them.
  ///
  /// The author is `user` where none is named. Bytes that were not written by ``pack`` are
  /// ``StoreError/corrupt(reason:)``.
  static func unpack(
    _ row: borrowing Row, shape: TableShape, names: NumberedNames, user: String
  ) throws(StoreError) -> RecordState {
    let hidden = row.bytes(2 + shape.layout.count)
    return try hidden.lending { (bytes) throws(StoreError) in
      var reader = Unpacker(bytes)
      return try unpack(&reader, shape: shape, names: names, user: user) { field in
        row.fieldValue(2 + field, as: shape.layout.fields[field].kind)
      }
    }
  }

  /// Reads a row of ``TableShape/selection`` of which nothing is known but values, stamps, revision
  /// and author.
  ///
  /// - Returns: Whether that is so; `known` holds the row then.
  static func readPlain(
    _ row: borrowing Row, into known: PlainRow, shape: TableShape, names: inout NumberedNames,
    user: String
  ) throws(StoreError) -> Bool {
    let count = shape.layout.count
    let isPlain = try row.withBytes(2 + count) { (bytes) throws(StoreError) -> Bool in
      var reader = Unpacker(bytes)
      let head = try head(&reader)
      guard head.flags.isSubset(of: [.revision, .author, .places]) else { return false }
      try readPlain(&reader, head, into: known, shape: shape, names: names, user: user)
      return true
    }
    guard isPlain else { return false }
    for field in 0..<count where known.places[field] > 0 {
      // What the column may not hold is kept in another way when the row is written.
      if row.isNull(2 + field), !shape.layout.fields[field].isOptional { return false }
    }
    known.feed = row.text(1)
    known.take(row, shape: shape, names: &names)
    return true
  }

  private static func readPlain(
    _ reader: inout Unpacker, _ head: Head, into known: PlainRow, shape: TableShape,
    names: NumberedNames, user: String
  ) throws(StoreError) {
    let flags = head.flags
    known.clear(fieldCount: shape.layout.count)
    let covered = try reader.index()
    guard covered <= shape.declared.count else { throw Unpacker.damage }
    if flags.contains(.revision) {
      known.revision = try reader.revision(names: names)
      known.author = user
    }
    if flags.contains(.author) { known.author = try reader.text() }
    try readStamps(
      &reader, head, covered: covered, shape: shape, names: names, into: &known.stamps,
      &known.places)
  }

  /// Writes the hidden column of a plain row some of whose fields were stamped now, as ``pack``
  /// would; the row itself knows no longer which stamps it had.
  static func packChanged(
    _ row: PlainRow, changed: UInt64, stamp: Stamp, shape: TableShape,
    names: inout NumberedNames, user: String, into packer: inout Packer
  ) {
    row.list.removeAll()
    for field in shape.sorted {
      let isChanged = changed >> UInt64(field) & 1 == 1
      guard isChanged || row.places[field] > 0 else { continue }
      row.places[field] = UInt8(
        row.list.place(of: isChanged ? stamp : row.stamp(of: field)) + 1)
    }
    let isShared = row.list.stamps.count == 1 && !row.places.contains(0)
    putHead(
      isShared ? [] : .places, row.revision, row.author, user: user, shape: shape, names: &names,
      into: &packer)
    if isShared { return packer.put(stamp, names: &names) }
    packer.put(close: row.list.stamps, names: &names)
    put(row.places, of: row.list.stamps.count, shape: shape, into: &packer)
  }

  /// Reads only the revision; nil where the server told none.
  static func revision(
    _ bytes: UnsafeRawBufferPointer, names: NumberedNames
  ) throws(StoreError) -> Revision? {
    var reader = Unpacker(bytes)
    let flags = try head(&reader).flags
    _ = try reader.index()
    return flags.contains(.revision) ? try reader.revision(names: names) : nil
  }

  private static func unpack(
    _ reader: inout Unpacker, shape: TableShape, names: NumberedNames, user: String,
    value: (Int) -> FieldValue
  ) throws(StoreError) -> RecordState {
    let head = try head(&reader)
    let flags = head.flags
    let covered = try reader.index()
    guard covered <= shape.declared.count else { throw Unpacker.damage }
    var state = RecordState()
    if flags.contains(.revision) {
      state.revision = try reader.revision(names: names)
      state.author = user
    }
    if flags.contains(.author) { state.author = try reader.text() }
    var stamps: [Stamp] = []
    var places = [UInt8](repeating: 0, count: shape.layout.count)
    try readStamps(
      &reader, head, covered: covered, shape: shape, names: names, into: &stamps, &places)
    state.fields.reserveCapacity(covered)
    for field in shape.sorted where places[field] > 0 {
      state.fields.append(
        shape.layout.fields[field].name,
        FieldState(value: value(field), stamp: stamps[Int(places[field]) - 1]))
    }
    try readRest(of: &state, flags, &reader, shape: shape, names: names)
    return state
  }

  private static func readRest(
    of state: inout RecordState, _ flags: Flags, _ reader: inout Unpacker, shape: TableShape,
    names: NumberedNames
  ) throws(StoreError) {
    if flags.contains(.origins) {
      for _ in 0..<(try reader.count()) {
        let name = try shape.name(inFile: try reader.index())
        state.fields[name]?.origin = try reader.stamp(names: names)
      }
    }
    if flags.contains(.merge) {
      for _ in 0..<(try reader.count()) {
        let name = try shape.name(inFile: try reader.index())
        state.fields[name]?.merge = try reader.run()
      }
    }
    if flags.contains(.fields) {
      for _ in 0..<(try reader.count()) {
        let name = Key(try reader.text())
        let stamps = try reader.stamps(names: names)
        state.fields[name] = try reader.field(stamps: stamps, names: names)
      }
    }
    if flags.contains(.members) { state.unknown = try reader.members() }
  }
}

extension TableShape {
  /// The field of a name, looked for from a position in the order of names on, which it moves.
  func next(_ name: Key, from position: inout Int) -> Int? {
    while position < sorted.count {
      if sortedNames[position] == name {
        position += 1
        return sorted[position - 1]
      }
      if name < sortedNames[position] { return nil }
      position += 1
    }
    return nil
  }

  /// Where a field stands among the fields of the file.
  func placeInFile(of field: Int) -> Int {
    declared.firstIndex(of: field) ?? 0
  }

  /// The name of a field of the file.
  func name(inFile place: Int) throws(StoreError) -> Key {
    guard declared.indices.contains(place) else { throw Unpacker.damage }
    return layout.fields[declared[place]].name
  }
}

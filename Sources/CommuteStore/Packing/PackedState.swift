import CommuteCore

/// A whole record in one run of bytes: what the engine keeps of bases, tombstones and unknown
/// tables.
///
/// ```
/// format 1 · flags · [revision] · [author] · [deleted] · stamps · count · fields · [members]
/// field = name · value · place of the stamp × 4 + 1 if an origin + 2 if merge state · … ·
/// ```
enum PackedState {
  private static let format: UInt8 = 1

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let revision = Flags(rawValue: 1)
    static let author = Flags(rawValue: 2)
    static let deleted = Flags(rawValue: 4)
    static let members = Flags(rawValue: 8)
  }

  /// Writes a record.
  static func pack(_ state: RecordState, names: inout NumberedNames) -> [UInt8] {
    var packer = Packer()
    pack(state, names: &names, into: &packer)
    return packer.bytes
  }

  /// Writes a record in place of what the packer held.
  static func pack(
    _ state: RecordState, names: inout NumberedNames, into packer: inout Packer
  ) {
    packer.removeAll()
    var flags: Flags = []
    if state.revision != nil { flags.insert(.revision) }
    if !state.author.isEmpty { flags.insert(.author) }
    if state.deleted != nil { flags.insert(.deleted) }
    if !state.unknown.isEmpty { flags.insert(.members) }
    packer.put(byte: format)
    packer.put(byte: flags.rawValue)
    if let revision = state.revision { packer.put(revision, names: &names) }
    if !state.author.isEmpty { packer.put(state.author) }
    if let deleted = state.deleted { packer.put(deleted, names: &names) }
    var list = StampList()
    for entry in state.fields.entries { _ = list.place(of: entry.value.stamp) }
    packer.put(list.stamps, names: &names)
    packer.put(state.fields.count)
    for entry in state.fields.entries {
      packer.put(entry.name.text)
      packer.put(entry.value, place: list.place(of: entry.value.stamp), names: &names)
    }
    if !state.unknown.isEmpty { packer.put(state.unknown) }
  }

  /// Writes what stands before the stamps of a record that is there and has no unknown members.
  static func packHead(
    revision: Revision?, author: String, names: inout NumberedNames, into packer: inout Packer
  ) {
    var flags: Flags = []
    if revision != nil { flags.insert(.revision) }
    if !author.isEmpty { flags.insert(.author) }
    packer.put(byte: format)
    packer.put(byte: flags.rawValue)
    if let revision { packer.put(revision, names: &names) }
    if !author.isEmpty { packer.put(author) }
  }

  /// Reads a record.
  ///
  /// - Throws: ``StoreError/corrupt(reason:)`` for anything that was not written by ``pack``.
  static func unpack(
    _ bytes: UnsafeRawBufferPointer, names: NumberedNames
  ) throws(StoreError) -> RecordState {
    var reader = Unpacker(bytes)
    guard try reader.byte() == format else { throw Unpacker.damage }
    let flags = Flags(rawValue: try reader.byte())
    var state = RecordState()
    if flags.contains(.revision) { state.revision = try reader.revision(names: names) }
    if flags.contains(.author) { state.author = try reader.text() }
    if flags.contains(.deleted) { state.deleted = try reader.stamp(names: names) }
    let stamps = try reader.stamps(names: names)
    let count = try reader.count()
    state.fields.reserveCapacity(count)
    for _ in 0..<count {
      let name = Key(try reader.text())
      state.fields.append(name, try reader.field(stamps: stamps, names: names))
    }
    if flags.contains(.members) { state.unknown = try reader.members() }
    return state
  }

  /// Reads only the revision; nil where the server told none.
  static func revision(
    _ bytes: UnsafeRawBufferPointer, names: NumberedNames
  ) throws(StoreError) -> Revision? {
    var reader = Unpacker(bytes)
    guard try reader.byte() == format else { throw Unpacker.damage }
    let flags = Flags(rawValue: try reader.byte())
    return flags.contains(.revision) ? try reader.revision(names: names) : nil
  }

  /// Reads a record from an array.
  static func unpack(_ bytes: [UInt8], names: NumberedNames) throws(StoreError) -> RecordState {
    try bytes.lending { (run) throws(StoreError) in try unpack(run, names: names) }
  }
}

extension [UInt8] {
  /// Lends the bytes, with the error of the closure.
  func lending<Result>(
    _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let outcome = withUnsafeBytes { bytes -> Swift.Result<Result, StoreError> in
      do throws(StoreError) {
        return .success(try body(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}

extension Packer {
  /// A field: its value, where its stamp stands, and what else there is.
  mutating func put(_ field: FieldState, place: Int, names: inout NumberedNames) {
    put(field.value)
    let hasOrigin = field.origin != field.stamp
    put(place << 2 | (hasOrigin ? 1 : 0) | (field.merge.isEmpty ? 0 : 2))
    if hasOrigin { put(field.origin, names: &names) }
    if !field.merge.isEmpty { put(field.merge) }
  }
}

extension Unpacker {
  mutating func field(
    stamps: [Stamp], names: NumberedNames
  ) throws(StoreError) -> FieldState {
    let value = try value()
    let word = try index()
    guard stamps.indices.contains(word >> 2) else { throw Self.damage }
    var field = FieldState(value: value, stamp: stamps[word >> 2])
    if word & 1 != 0 { field.origin = try stamp(names: names) }
    if word & 2 != 0 { field.merge = try run() }
    return field
  }
}

import CommuteCore
import CommuteSQLite

/// A row of which nothing is known but values, stamps, revision and author.
///
/// One is filled for record after record, so that its arrays are made once.
final class PlainRow {
  @exclusivity(unchecked) var feed = ""
  @exclusivity(unchecked) var revision: Revision?
  @exclusivity(unchecked) var author = ""
  @exclusivity(unchecked) var stamps: [Stamp] = []
  /// For each field as declared: one more than the place of its stamp, 0 for none.
  @exclusivity(unchecked) var places: [UInt8] = []
  /// The whole record as ``PackedState`` has it.
  @exclusivity(unchecked) private(set) var packed = Packer()
  /// Where the value of each field as declared stands in there.
  @exclusivity(unchecked) private var values: [Range<Int>] = []
  /// The distinct stamps of what is being packed.
  @exclusivity(unchecked) var list = StampList()
  /// The values that are to take the place of others, in the order of the names.
  @exclusivity(unchecked) private(set) var changes = Packer()
  /// Where each stands in there.
  @exclusivity(unchecked) private(set) var changeRanges: [Range<Int>] = []

  /// Forgets the record, and makes room for another one.
  func clear(fieldCount count: Int) {
    feed = ""
    revision = nil
    author = ""
    stamps.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    for _ in 0..<count {
      places.append(0)
      values.append(0..<0)
    }
  }

  /// The stamp of a field that has one.
  func stamp(of field: Int) -> Stamp { stamps[Int(places[field]) - 1] }

  /// The packed value of a field.
  func value(of field: Int) -> ArraySlice<UInt8> { packed.bytes[values[field]] }

  /// Packs the record with the values of the row, as ``PackedState/pack(_:names:)`` does.
  func take(_ row: borrowing Row, shape: TableShape, names: inout NumberedNames) {
    list.removeAll()
    var count = 0
    for field in shape.sorted where places[field] > 0 {
      _ = list.place(of: stamp(of: field))
      count += 1
    }
    packed.removeAll()
    packed.reserve(128)
    PackedState.packHead(revision: revision, author: author, names: &names, into: &packed)
    packed.put(list.stamps, names: &names)
    packed.put(count)
    for field in shape.sorted where places[field] > 0 {
      packed.put(raw: shape.packedNames[field])
      let start = packed.bytes.count
      packed.put(row, 2 + field, as: shape.layout.fields[field].kind)
      values[field] = start..<packed.bytes.count
      packed.put(list.place(of: stamp(of: field)) << 2)
    }
  }

  /// Takes the values of some fields from memory: those that are to take the place of others.
  ///
  /// - Returns: The fields that really differ; nil where one cannot be stored, or what changed may
  ///   be too large on the wire.
  func take(
    _ record: UnsafeRawPointer, changed mask: UInt64, in shape: TableShape
  ) -> UInt64? {
    changes.removeAll()
    changeRanges.removeAll(keepingCapacity: true)
    var changed: UInt64 = 0
    var size = packed.bytes.count
    for field in shape.sorted where mask >> UInt64(field) & 1 == 1 {
      guard places[field] > 0, let bytes = shape.layout.size(of: record, field) else {
        return nil
      }
      let start = changes.bytes.count
      shape.layout.pack(record, field, into: &changes)
      if changes.bytes[start...] == value(of: field) { continue }
      size += bytes
      changed |= 1 << UInt64(field)
      changeRanges.append(start..<changes.bytes.count)
    }
    return size <= Limits.recordBytes / 16 ? changed : nil
  }
}

extension Packer {
  /// A column of a row as a field's value.
  fileprivate mutating func put(_ row: borrowing Row, _ column: Int, as kind: FieldKind) {
    switch kind {
    case .text where !row.isNull(column):
      put(byte: 4)
      row.withBytes(column) { put($0) }
    case .bytes where !row.isNull(column):
      put(byte: 5)
      row.withBytes(column) { put($0) }
    default: put(row.fieldValue(column, as: kind))
    }
  }
}

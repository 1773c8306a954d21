import CommuteCore
import CommuteSQLite

/// A row of which nothing is known but values, stamps, revision and author.
struct PlainRow {
  var feed = ""
  var revision: Revision?
  var author = ""
  var stamps: [Stamp] = []
  /// For each field as declared: one more than the place of its stamp, 0 for none.
  var places: [UInt8]
  /// The whole record as ``PackedState`` has it.
  private(set) var packed = Packer()
  /// Where the value of each field as declared stands in there.
  private var values: [Range<Int>]

  init(fieldCount count: Int) {
    places = [UInt8](repeating: 0, count: count)
    values = [Range<Int>](repeating: 0..<0, count: count)
  }

  /// The stamp of a field that has one.
  func stamp(of field: Int) -> Stamp { stamps[Int(places[field]) - 1] }

  /// The packed value of a field.
  func value(of field: Int) -> ArraySlice<UInt8> { packed.bytes[values[field]] }

  /// Packs the record with the values of the row, as ``PackedState/pack(_:names:)`` does.
  mutating func take(_ row: borrowing Row, shape: TableShape, names: inout NumberedNames) {
    var list = StampList()
    var count = 0
    for field in shape.sorted where places[field] > 0 {
      _ = list.place(of: stamp(of: field))
      count += 1
    }
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

import CommuteCore
import CommuteSQLite
import Foundation
import Testing

@testable import CommuteStore

@Suite struct PackingTests {
  var names = NumberedNames()
  let epoch = Epoch(rawValue: 77)
  let one = Stamp(milliseconds: 1_700_000_000_000, counter: 3, replica: ReplicaID(rawValue: 5))
  let two = Stamp(milliseconds: 1_700_000_000_001, counter: 0, replica: ReplicaID(rawValue: 6))

  static let values: [FieldValue] = [
    .null, .boolean(true), .boolean(false), .integer(.min), .integer(.max), .integer(-1),
    .double(-1.5), .double(1e300), .text(""), .text("é\u{301}"), .bytes([]), .bytes([0, 255]),
    .instant(-5), .list([]), .list(["a", ""]), .unknown(Array(#"{"z":1}"#.utf8)),
  ]

  @Test mutating func `a packed record reads back as it was`() throws {
    var state = RecordState(
      revision: Revision(epoch: epoch, number: 9), author: "anna",
      unknown: ["flag": Array("true".utf8)])
    for (index, value) in Self.values.enumerated() {
      state.fields[Key("f\(index)")] = FieldState(
        value: value, stamp: index.isMultiple(of: 2) ? one : two,
        origin: index == 3 ? .floor : nil, merge: index == 4 ? [1, 2] : [])
    }
    state.deleted = two
    let bytes = PackedState.pack(state, names: &names)
    #expect(try PackedState.unpack(bytes, names: names) == state)
  }

  @Test mutating func `a packed change reads back as it was`() throws {
    var fields = FieldMap<OperationField>()
    for (index, value) in Self.values.enumerated() {
      fields[Key("f\(index)")] = OperationField(
        value: value, stamp: index == 2 ? .floor : one,
        over: index == 1 ? Over(stamp: two, origin: .floor) : nil,
        base: index == 3 ? .text("before") : nil,
        others: index == 5 ? ["rule": Array("\"median\"".utf8)] : [:])
    }
    let total = CounterTotal(up: 3, down: 1)
    let share = CounterShare(replica: one.replica, before: CounterTotal(), after: total)
    fields["count"] = OperationField(
      value: .null, stamp: one, rule: .counter, detail: .total([share]))
    fields["score"] = OperationField(value: .integer(3), stamp: one, rule: .maximum)
    let bytes = PackedChange.pack(fields, names: &names)
    let read = try bytes.lending { (bytes) throws(StoreError) in
      try PackedChange.unpack(bytes, names: names)
    }
    #expect(read == fields)
  }

  @Test mutating func `bytes that are cut or changed are an error, never a trap`() throws {
    var state = RecordState(revision: Revision(epoch: epoch, number: 9))
    for (index, value) in Self.values.enumerated() {
      state.fields[Key("f\(index)")] = FieldState(value: value, stamp: one)
    }
    let bytes = PackedState.pack(state, names: &names)
    for count in 0..<bytes.count {
      #expect(throws: StoreError.self) {
        try PackedState.unpack(Array(bytes[..<count]), names: names)
      }
    }
    for index in bytes.indices {
      for flip in [UInt8(1), 0x80, 0xFF] {
        var changed = bytes
        changed[index] ^= flip
        _ = try? PackedState.unpack(changed, names: names)
      }
    }
  }

  @Test mutating func `an insert straight from memory writes what the decision leads to`() throws {
    let book = Book(
      id: id(1), title: "Momo \"quoted\" \u{1}", author: "Ende", read: true, tags: ["a\"b", "c"],
      rating: nil, shelf: .reading)
    let shape = TableShape(
      Book.table.declared, slot: 0, columns: Book.table.columns.map(\.name))
    var record = DeviceRecord(key: RecordKey(table: "book", id: id(1)), feed: "books")
    var context = WriteContext(
      clock: HybridClock(replica: one.replica), wall: 1_700_000_000_000, schema: 1)
    try record.create(
      Book.table.values(of: book), operation: OperationID(high: 1, low: 2), context: &context)
    let stamp = try #require(record.rows[0].operation.fields["title"]?.stamp)
    var general = Packer()
    var fresh = Packer()
    let view = try #require(record.view)
    HiddenState.pack(view, shape: shape, names: &names, user: "anna", into: &general)
    HiddenState.packFresh(stamp, shape: shape, names: &names, into: &fresh)
    #expect(fresh.bytes == general.bytes)
    PackedChange.pack(record.rows[0].operation.fields, names: &names, into: &general)
    withUnsafePointer(to: book) { pointer in
      PackedChange.packFresh(
        UnsafeRawPointer(pointer), stamp: stamp, shape: shape, names: &names, into: &fresh)
    }
    #expect(fresh.bytes == general.bytes)
  }

  @Test func `a list of texts reads back from its JSON`() throws {
    for texts in [[], [""], ["a", "b"], ["\"", "\\", "\n\u{1}\u{1f}"], ["é", "😀"]] {
      let json = Array(TextList.json(of: texts).utf8)
      let read = json.withUnsafeBytes { TextList.texts(of: $0) }
      #expect(read == texts)
    }
    for json in ["", "[", "{}", "[1]", "[\"a\"", "[\"a\" ]", "[\"a\",]", "[\"\\u00zz\"]"] {
      #expect(Array(json.utf8).withUnsafeBytes { TextList.texts(of: $0) } == nil)
    }
  }
}

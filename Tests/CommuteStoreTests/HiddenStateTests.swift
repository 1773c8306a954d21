import CommuteCore
import CommuteSQLite
import CommuteTestKit
import Testing

@testable import CommuteStore

/// A record of so many fields that each may have a stamp of its own.
private struct Wide: Record {
  var id = RecordID.zero
  var a = 0
  var b = 0
  var c = 0
  var d = 0
  var e = 0
  var f = 0
  var g = 0
  var h = 0
  var i = 0
  var j = 0
  var k = 0
  var l = 0
  var m = 0
  var n = 0
  var o = 0
  var p = 0
  var q = 0

  static let table = Table("wide", feed: "wide", blank: Wide()) {
    Column("a", \.a)
    Column("b", \.b)
    Column("c", \.c)
    Column("d", \.d)
    Column("e", \.e)
    Column("f", \.f)
    Column("g", \.g)
    Column("h", \.h)
    Column("i", \.i)
    Column("j", \.j)
    Column("k", \.k)
    Column("l", \.l)
    Column("m", \.m)
    Column("n", \.n)
    Column("o", \.o)
    Column("p", \.p)
    Column("q", \.q)
  }
}

/// The hidden column of a row, as it is written now and was written before schema 7.
@Suite struct HiddenStateTests {
  let connection: Connection
  let shape: TableShape

  init() throws {
    connection = try Connection(.memory)
    let names = Wide.table.columns.map(\.name)
    shape = TableShape(Wide.table.declared, slot: 0, columns: names)
    let columns = names.map { "\($0) INTEGER NOT NULL DEFAULT 0" }.joined(separator: ", ")
    try connection.execute("CREATE TABLE wide(id BLOB, feed TEXT, \(columns), _commute BLOB)")
  }

  private func read(
    _ hidden: [UInt8], _ names: NumberedNames
  ) throws -> (state: RecordState, revision: Revision?)? {
    try connection.run("DELETE FROM wide")
    try connection.run(
      "INSERT INTO wide(id, feed, _commute) VALUES (\(id(1).bytes), 'wide', \(hidden))")
    let statement = try connection.prepare("SELECT \(shape.selection) FROM wide")
    return try statement.first { (row) throws(StoreError) in
      let state = try HiddenState.unpack(row, shape: shape, names: names, user: "anna")
      let revision = try hidden.lending { (bytes) throws(StoreError) in
        try HiddenState.revision(bytes, names: names)
      }
      return (state, revision)
    }
  }

  private func state(of count: Int, revision: Revision?, _ dice: inout SeededGenerator)
    -> RecordState
  {
    let stamps = (0..<count).map { number in
      let time: UInt64 =
        number == 1 ? 0 : (1_700_000_000_000 + UInt64(dice.draw(1 << 40))) << 16
      return Stamp(
        time: time | UInt64(dice.draw(2) * dice.draw(0x1_0000)),
        replica: ReplicaID(rawValue: UInt64(5 + dice.draw(3))))
    }
    var state = RecordState(revision: revision, author: revision == nil ? "" : "anna")
    for (index, field) in shape.layout.fields.enumerated() where count > 1 || index < 17 {
      // The first field of all has no stamp now and then, as one that a later app has added.
      if index == 16, count % 4 == 3 { continue }
      state.fields[field.name] = FieldState(value: .integer(0), stamp: stamps[index % count])
    }
    return state
  }

  @Test(arguments: 1...17) func `any number of stamps reads back as it was`(count: Int) throws {
    var dice = SeededGenerator(seed: UInt64(count))
    var names = NumberedNames()
    for revision in [nil, Revision(epoch: Epoch(rawValue: 7), number: 300)] {
      let state = state(of: count, revision: revision, &dice)
      var packer = Packer()
      HiddenState.pack(state, shape: shape, names: &names, user: "anna", into: &packer)
      let found = try #require(try read(packer.bytes, names))
      #expect(found.state == state)
      #expect(found.revision == revision)
      for length in 0..<packer.bytes.count {
        #expect(throws: StoreError.self) {
          try read(Array(packer.bytes[..<length]), names)
        }
      }
      for index in packer.bytes.indices {
        var changed = packer.bytes
        changed[index] ^= UInt8(1 + dice.draw(255))
        _ = try? read(changed, names)
      }
    }
  }

  @Test func `a fresh row takes eleven bytes, an edit by another a few more`() throws {
    var names = NumberedNames()
    let time: UInt64 = 1_700_000_000_000 << 16
    let first = Stamp(time: time, replica: ReplicaID(rawValue: 5))
    let later = Stamp(time: time + 20_000 << 16, replica: ReplicaID(rawValue: 6))
    var packer = Packer()
    HiddenState.packFresh(first, shape: shape, names: &names, into: &packer)
    #expect(packer.bytes.count == 11)
    var state = RecordState()
    for field in shape.layout.fields {
      state.fields[field.name] = FieldState(value: .integer(0), stamp: first)
    }
    state.fields["c"]?.stamp = later
    state.fields["c"]?.origin = later
    HiddenState.pack(state, shape: shape, names: &names, user: "anna", into: &packer)
    #expect(packer.bytes.count <= 11 + 1 + 6 + 9)
  }

  @Test func `a row that was written before schema 7 is read as it was meant`() throws {
    var names = NumberedNames()
    let replicas = [ReplicaID(rawValue: 5), ReplicaID(rawValue: 6)]
    for replica in replicas { _ = names.number(of: replica) }
    let time: UInt64 = 1_700_000_000_000 << 16
    var former = Packer()
    former.put(byte: 1)
    former.put(byte: 4)
    former.put(17)
    former.put(2)
    former.put(fixed: time)
    former.put(1)
    former.put(signed: -65_536)
    former.put(2)
    for field in 0..<17 { former.put(byte: field == 3 ? 2 : field == 4 ? 0 : 1) }
    let found = try #require(try read(former.bytes, names)).state
    #expect(found.fields.count == 16)
    #expect(found.fields["a"]?.stamp == Stamp(time: time, replica: replicas[0]))
    #expect(found.fields["d"]?.stamp == Stamp(time: time - 65_536, replica: replicas[1]))
    #expect(found.fields["e"] == nil)
  }
}

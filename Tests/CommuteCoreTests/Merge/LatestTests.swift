import CommuteCore
import CommuteTestKit
import Testing

/// The rule `latest` over a small universe, every pair and triple: seeds, ties, deletions, texts
/// that only look alike.
@Suite struct LatestTests {
  static let stamps = [
    Stamp.floor,
    Stamp(milliseconds: 1, counter: 0, replica: ReplicaID(rawValue: 1)),
    Stamp(milliseconds: 1, counter: 0, replica: ReplicaID(rawValue: 2)),
    Stamp(milliseconds: 2, counter: 1, replica: ReplicaID(rawValue: 1)),
  ]
  static let values: [FieldValue] = [
    .null, .integer(1), .integer(-1), .text("\u{E9}"), .text("e\u{301}"), .list(["\u{E9}"]),
  ]

  static let fields: [FieldState] = stamps.flatMap { stamp in
    values.map { FieldState(value: $0, stamp: stamp) }
  }

  @Test func `fields keep the laws`() {
    #expect(MergeLaw.breach(over: Self.fields) { $0.merged(with: $1) } == nil)
  }

  @Test func `fields with other origins and merge state keep the laws`() {
    let origins = [Self.stamps[0], Self.stamps[1], Self.stamps[3]]
    let universe = Self.stamps.suffix(2).flatMap { stamp in
      origins.flatMap { origin in
        [[], [0x31], [0x32]].flatMap { (merge: [UInt8]) in
          [FieldValue.text("\u{E9}"), .text("e\u{301}")].map {
            FieldState(value: $0, stamp: stamp, origin: origin, merge: merge)
          }
        }
      }
    }
    #expect(MergeLaw.breach(over: universe) { $0.merged(with: $1) } == nil)
  }

  @Test func `one of two fields wins, whoever asks`() {
    for one in Self.fields {
      for other in Self.fields {
        let merged = one.merged(with: other)
        #expect(merged == one || merged == other)
        #expect((one.wins(over: other) || other.wins(over: one)) == (one != other))
        if one.stamp < other.stamp { #expect(merged == other) }
        if one.stamp == other.stamp, one.value < other.value { #expect(merged == other) }
      }
    }
  }

  @Test func `any edit wins over a seed`() {
    for seed in Self.values {
      for edit in Self.values {
        let mine = FieldState(value: edit, stamp: Self.stamps[1])
        #expect(FieldState(value: seed, stamp: .floor).merged(with: mine) == mine)
      }
    }
  }

  /// Records of two fields, with and without them, alive and deleted.
  static let records: [RecordState] = {
    let some: [FieldState?] = [
      nil, FieldState(value: .text("\u{E9}"), stamp: .floor),
      FieldState(value: .text("e\u{301}"), stamp: .floor),
      FieldState(value: .null, stamp: stamps[2]),
    ]
    return some.flatMap { title in
      some.flatMap { note in
        [nil, Stamp.floor, stamps[3]].map { deleted in
          var fields = FieldMap<FieldState>()
          fields["title"] = title
          fields["note"] = note
          return RecordState(fields: fields, deleted: deleted)
        }
      }
    }
  }()

  @Test func `records keep the laws`() {
    #expect(MergeLaw.breach(over: Self.records) { $0.merged(with: $1) } == nil)
  }

  @Test func `records with members of a later version keep the laws`() {
    let raws: [[UInt8]?] = [nil, [0x31], [0x32], Array("{}".utf8)]
    let universe = raws.flatMap { one in
      raws.map { other in
        var unknown = FieldMap<[UInt8]>()
        unknown["a"] = one
        unknown["b"] = other
        return RecordState(unknown: unknown)
      }
    }
    #expect(MergeLaw.breach(over: universe) { $0.merged(with: $1) } == nil)
  }

  @Test func `a deletion stands and nothing is lost`() {
    for one in Self.records {
      for other in Self.records {
        let merged = one.merged(with: other)
        #expect((merged.deleted == nil) == (one.deleted == nil && other.deleted == nil))
        for name: Key in ["note", "title"] {
          let expected = [one, other].compactMap { $0.fields[name] }
          #expect((merged.fields[name] == nil) == expected.isEmpty)
          #expect(expected.allSatisfy { !$0.wins(over: merged.fields[name] ?? $0) })
        }
      }
    }
  }

  @Test func `the greatest stamp counts the deletion`() {
    #expect(RecordState().greatestStamp == .floor)
    for record in Self.records {
      let stamps = record.fields.entries.map(\.value.stamp) + [record.deleted].compactMap { $0 }
      #expect(record.greatestStamp == stamps.max() ?? .floor)
    }
  }
}

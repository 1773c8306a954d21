import CommuteCore
import CommuteServer
import Testing

/// Lists and items: an item goes with its list, loses its shelf, and has a title of its own.
enum Family {
  static let item = TableSchema(
    "item",
    fields: [
      FieldSchema(
        "list", .bytes, isOptional: true, references: Reference("list", onDeletion: .cascade)),
      FieldSchema(
        "shelf", .bytes, isOptional: true, references: Reference("list", onDeletion: .nullify)),
      FieldSchema("title", .text),
    ], unique: [UniqueKey("title", rule: .first)])

  static func rules() throws -> ServerRules {
    let list = TableSchema("list", fields: [FieldSchema("title", .text)])
    return ServerRules(try Schema(name: "library", version: 1, tables: [list, item]))
  }

  static func naming(_ number: UInt64) -> FieldValue { .bytes(TestDevice.book(number).id.bytes) }
}

extension TestDevice {
  /// An operation on a record of any table, which declares what `item` declares.
  mutating func record(
    _ table: Key, _ number: UInt64, _ values: FieldMap<FieldValue> = [:], creates: Bool = true,
    deletes: Bool = false, feed: Key = "books"
  ) -> CommuteCore.Operation {
    let stamp = stamp()
    return CommuteCore.Operation(
      id: OperationID(high: replica.rawValue, low: unique()), schema: 1, replica: replica,
      epoch: epoch, key: RecordKey(table: table, id: Self.book(number).id), feed: feed,
      creates: creates,
      fields: values.mapValues { OperationField(value: $0, stamp: stamp) },
      deleted: deletes ? stamp : nil,
      declares: table == "item" ? Family.item.declarations(of: values.names) : [])
  }
}

@Suite struct `what every store does for references and unique keys` {
  @Test(arguments: StoreKind.allCases)
  func `children of a deleted record go with it or lose it, and every device reads that`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore(rules: Family.rules()) { store in
      var ann = TestDevice(0xA, account: Account(tenant: "home", user: "ann"))
      var bob = TestDevice(0xB, account: Account(tenant: "home", user: "bob"))
      ann.cursors["other"] = .some(nil)
      let made = try await store.round(
        &ann,
        [
          ann.record("list", 1, ["title": .text("a")]),
          ann.record("list", 2, ["title": .text("b")]),
          ann.record("item", 3, ["list": Family.naming(1), "title": .text("Emma")]),
          ann.record(
            "item", 4,
            [
              "list": Family.naming(2), "shelf": Family.naming(1), "title": .text("Dracula"),
            ], feed: "other"),
        ])
      #expect(made.isAllApplied)
      let gone = try await store.round(
        &bob, [bob.record("list", 1, creates: false, deletes: true)])
      #expect(gone.isAllApplied)
      var carl = TestDevice(0xC, account: Account(tenant: "home", user: "carl"))
      carl.cursors["other"] = .some(nil)
      let read = try await store.readAll(&carl)
      let item = read.first { $0.text("title") == "Emma" }
      #expect(item?.state.deleted != nil)
      #expect(item?.state.author == "bob")
      let other = read.first { $0.text("title") == "Dracula" }
      #expect(other?.state.deleted == nil)
      #expect(other?.state.fields["shelf"]?.value == .null)
      #expect(other?.state.author == "bob")
      // A child that comes afterwards is treated alike.
      let late = try await store.round(
        &ann, [ann.record("item", 5, ["list": Family.naming(1), "title": .text("late")])])
      #expect(late.isAllApplied)
      #expect(late.verdicts.first?.record?.state.deleted != nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a unique key belongs to the record that came first, until it is given up`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore(rules: Family.rules()) { store in
      var phone = TestDevice()
      let answer = try await store.round(
        &phone,
        [
          phone.record("item", 1, ["title": .text("Emma")]),
          phone.record("item", 2, ["title": .text("Emma")]),
          phone.record("item", 3, ["title": .text("Dracula")]),
        ])
      #expect(answer.verdicts.map { $0.kind == .applied } == [true, false, true])
      #expect(answer.verdicts[1].holder == TestDevice.book(1).id)
      guard case .rejected(.taken, _) = answer.verdicts[1].kind else {
        Issue.record("\(answer.verdicts[1])")
        return
      }
      let freed = try await store.round(
        &phone, [phone.record("item", 1, ["title": .text("Emma II")], creates: false)])
      #expect(freed.isAllApplied)
      let taken = try await store.round(
        &phone, [phone.record("item", 2, ["title": .text("Emma")])])
      #expect(taken.isAllApplied)
      let deleted = try await store.round(
        &phone, [phone.record("item", 2, creates: false, deletes: true)])
      #expect(deleted.isAllApplied)
      let again = try await store.round(
        &phone,
        [
          phone.record("item", 4, ["title": .text("Emma")]),
          phone.record("item", 3, ["title": .text("Emma II")], creates: false),
        ])
      #expect(again.verdicts.map { $0.holder } == [nil, TestDevice.book(1).id])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an operation of an older schema is taken where a step raised it`(
    kind: StoreKind
  ) async throws {
    var rules = try Family.rules()
    rules.raise("item", to: 2) { $0.move("name", to: "title") }
    try await kind.withStore(rules: rules) { store in
      var phone = TestDevice()
      var old = phone.record("item", 1, ["name": .text("Emma")])
      old.declares = []
      var other = phone.record("item", 2, ["title": .text("Emma II")])
      other.declares = []
      let answer = try await store.round(&phone, [old, other])
      #expect(answer.verdicts.first?.kind == .applied)
      guard case .rejected(.rule, let words)? = answer.verdicts.last?.kind else {
        Issue.record("\(answer.verdicts)")
        return
      }
      #expect(words.contains("unique first title"))
    }
  }
}

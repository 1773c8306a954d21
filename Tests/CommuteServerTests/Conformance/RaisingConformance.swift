import CommuteCore
import CommuteServer
import Testing

@Suite struct `what every store does with operations of older apps` {
  private static func rules() -> ServerRules {
    var rules = ServerRules()
    // Version 3 knows stars as a number; version 2 called the field rating, version 1 score.
    rules.raise("book", to: 3) { change in
      change.move("rating", to: "stars") { value in
        guard case .text(let text) = value else { return value }
        return .integer(Int64(text.utf8.count))
      }
      change.drop("shelf")
    }
    rules.raise("book", to: 2) { $0.move("score", to: "rating") }
    return rules
  }

  @Test(arguments: StoreKind.allCases)
  func `they are raised step by step, and their writer is told the record`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore(rules: Self.rules()) { store in
      var phone = TestDevice()
      var old = phone.operation(1, "***", in: "score")
      let kept = old.stamp(of: "score")
      old.fields["shelf"] = OperationField(value: .text("attic"), stamp: phone.stamp())
      var newer = phone.operation(2, "****", in: "rating")
      newer.schema = 2
      var present = phone.operation(3, "*", in: "score")
      present.schema = 3
      var film = phone.operation(4, "*", in: "score")
      film.key.table = "film"
      let answer = try await store.round(&phone, [old, newer, present, film])
      #expect(answer.isAllApplied)
      let first = answer.verdicts[0].record?.state.fields
      #expect(first?["stars"]?.value == .integer(3))
      #expect(first?["stars"]?.stamp == kept)
      #expect(first?.entries.count == 1)
      #expect(answer.verdicts[1].record?.state.fields["stars"]?.value == .integer(4))
      #expect(answer.verdicts[2].record == nil)
      #expect(answer.verdicts[3].record == nil)

      var tablet = TestDevice(0xB)
      let read = try await store.readAll(&tablet)
      let names = read.map { $0.state.fields.entries.map(\.name.text) }
      #expect(names == [["stars"], ["stars"], ["score"], ["score"]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the same bytes are the same operation before and after`(kind: StoreKind) async throws {
    try await kind.withStore(rules: Self.rules()) { store in
      var phone = TestDevice()
      let old = phone.operation(1, "***", in: "score")
      _ = try await store.round(&phone, [old])
      let again = try await store.round(&phone, [old])
      #expect(again.verdicts.map(\.kind) == [.duplicate])
      #expect(again.verdicts.first?.record?.state.fields["stars"]?.value == .integer(3))
    }
  }
}

extension CommuteCore.Operation {
  fileprivate func stamp(of field: Key) -> Stamp? { fields[field]?.stamp }
}

import CommuteCore
import CommuteServer
import Testing

@Suite struct `what every store does with counters` {
  private static func rules() throws -> ServerRules {
    let table = TableSchema("book", fields: [FieldSchema("loans", .integer, rule: .counter)])
    return ServerRules(try Schema(name: "library", version: 9, tables: [table]))
  }

  private func count(
    _ total: UInt64, on book: UInt64, by device: inout TestDevice, as replica: ReplicaID? = nil,
    creates: Bool = true
  ) -> CommuteCore.Operation {
    var operation = device.operation(book, "", in: "loans", creates: creates)
    let share = CounterShare(
      replica: replica ?? device.replica, before: CounterTotal(up: 0),
      after: CounterTotal(up: total))
    operation.fields["loans"] = OperationField(
      value: .null, stamp: device.stamp(), rule: .counter, detail: .total([share]))
    return operation
  }

  @Test(arguments: StoreKind.allCases)
  func `a number that was used before is answered with the records that were counted`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore(rules: try Self.rules()) { store in
      var phone = TestDevice(0xA)
      _ = try await store.round(
        &phone, [count(3, on: 1, by: &phone), phone.operation(2, "Emma")])
      phone.number = 0
      let copy = [
        count(5, on: 1, by: &phone, creates: false),
        phone.operation(2, "Emma!", creates: false), count(6, on: 1, by: &phone, creates: false),
      ]
      let answer = try await store.round(&phone, copy)
      #expect(answer.renew?.map(\.key) == [TestDevice.book(1)])
      #expect(answer.renew?.first?.state.fields["loans"]?.value == .integer(3))
      #expect(answer.verdicts.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `nobody counts under the replica of somebody else`(kind: StoreKind) async throws {
    try await kind.withStore(rules: try Self.rules()) { store in
      let home = { Account(tenant: "home", user: $0) }
      var ann = TestDevice(0xA, account: home("ann"))
      var bob = TestDevice(0xB, account: home("bob"))
      _ = try await store.round(&ann, [count(3, on: 1, by: &ann)])
      // He names her replica as an earlier one of his, or as the writer.
      var request = try bob.request([
        count(99, on: 1, by: &bob, as: ann.replica, creates: false)
      ])
      request.replicas = [ann.replica]
      var written = count(99, on: 1, by: &bob, as: ann.replica, creates: false)
      written.replica = ann.replica
      request.operations.append(SyncRequest.SentOperation(operation: written))
      request.operations.append(
        SyncRequest.SentOperation(operation: count(4, on: 1, by: &bob, creates: false)))
      let answer = try await store.send(
        try SyncRequest(decoding: request.encoded()), of: bob)
      let codes = answer.verdicts.map { verdict -> RejectionCode? in
        guard case .rejected(let code, _) = verdict.kind else { return nil }
        return code
      }
      #expect(codes == [.forbidden, .forbidden, nil])
      #expect(try await store.readAll(&ann).first?.state.fields["loans"]?.value == .integer(7))
    }
  }
}

import CommuteCore
import CommuteServer
import Testing

@Suite struct `who may read and write a feed, in every store` {
  private static let ann = Account(tenant: "home", user: "ann")
  private static let bob = Account(tenant: "home", user: "bob")

  private static func word(_ verdict: Verdict) -> String {
    switch verdict.kind {
    case .applied: "applied"
    case .duplicate: "duplicate"
    case .rejected(let code, let message): "\(code.name.text): \(message)"
    case .later(let reason, _): "later \(reason.name.text)"
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a feed that is taken away is told with the reason, and nothing of it`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA, account: Self.ann)
      var tablet = TestDevice(0xB, account: Self.bob)
      let secret = tablet.operation(2, "Dracula")
      _ = try await store.round(&phone, [phone.operation(1, "Emma")])
      _ = try await store.round(&tablet, [secret])
      try await store.setAccess(.none(reason: "you left\nthe club"), of: Self.bob, to: "books")
      tablet.cursors["films"] = .some(nil)
      // The same again, an edit, one through another feed, one with an id that was used before.
      let smuggled = tablet.operation(1, "Mine", creates: false, feed: "films")
      var reused = tablet.operation(1, "Mine", creates: false, feed: "films")
      reused.id = secret.id
      let operations = [secret, tablet.operation(1, "Mine", creates: false), smuggled, reused]
      let answer = try await store.round(&tablet, operations)
      #expect(
        answer.verdicts.map(Self.word) == [
          "forbidden: you left the club", "forbidden: you left the club",
          "feed: the record belongs to another feed",
          "mismatch: the same operation id came with other bytes",
        ])
      #expect(answer.verdicts.allSatisfy { $0.record == nil && $0.revision == nil })
      #expect(answer.feeds.map(\.revoked) == ["you left the club", nil])
      #expect(answer.records.isEmpty)
      #expect(!String(decoding: answer.encoded(), as: UTF8.self).contains("Emma"))
      #expect(try await store.readAll(&phone).map { $0.text("title") } == ["Dracula"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `one that is given again has a new number and is read from the start`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA, account: Self.ann)
      _ = try await store.round(&phone, (1...3).map { phone.operation($0, "Book") })
      var request = try phone.request()
      request.feeds[0].grant = 1
      #expect(try await store.send(request, of: phone).feeds.first?.grant == 1)
      try await store.setAccess(.none(reason: "gone"), of: Self.ann, to: "books")
      try await store.setAccess(.read, of: Self.ann, to: "books")
      try await store.setAccess(.write, of: Self.ann, to: "books")
      // The device was away: it still rests on the first grant.
      let again = try await store.send(request, of: phone)
      #expect(again.feeds.first?.grant == 2)
      #expect(again.feeds.first?.reset == 0)
      #expect(again.records.count == 3)
      request.feeds[0].grant = 2
      request.feeds[0].cursor = 3
      #expect(try await store.send(request, of: phone).feeds.first?.reset == nil)
      let written = phone.operation(4, "Book")
      #expect(try await store.round(&phone, [written]).isAllApplied)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `one that may only be read takes nothing`(kind: StoreKind) async throws {
    var rules = ServerRules()
    rules.access { account, feed in
      if feed == "drafts" { return .none(reason: "drafts are the editors'") }
      return account.user == "bob" && feed == "books" ? .read : .write
    }
    try await kind.withStore(rules: rules) { store in
      var phone = TestDevice(0xA, account: Self.ann)
      var tablet = TestDevice(0xB, account: Self.bob)
      _ = try await store.round(&phone, [phone.operation(1, "Emma")])
      tablet.cursors["drafts"] = .some(nil)
      let edit = tablet.operation(1, "Mine", creates: false)
      let draft = tablet.operation(2, "My own", feed: "drafts")
      let answer = try await store.round(&tablet, [edit, draft])
      #expect(
        answer.verdicts.map(Self.word) == [
          "forbidden: you may read the feed books, not change it",
          "forbidden: drafts are the editors'",
        ])
      #expect(answer.records.map { $0.text("title") } == ["Emma"])
      #expect(answer.feeds.map(\.revoked) == [nil, "drafts are the editors'"])
      // What is named goes before the rule, for this user only.
      try await store.setAccess(.write, of: Self.bob, to: "books")
      let allowed = try await store.round(
        &tablet, [tablet.operation(1, "Mine", in: "note", creates: false)])
      #expect(allowed.verdicts.map(Self.word) == ["applied"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an offer to a feed that was taken away, or of another feed, tells nothing`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA, account: Self.ann)
      var tablet = TestDevice(0xB, account: Self.bob)
      _ = try await store.round(&phone, [phone.operation(1, "Emma")])
      try await store.setAccess(.none(reason: "gone"), of: Self.bob, to: "books")
      tablet.cursors["films"] = .some(nil)
      tablet.number += 1
      var request = try tablet.request()
      let state = RecordState(revision: Revision(epoch: Epoch(rawValue: 9), number: 1))
      request.offers = ["books", "films"].map { feed in
        SyncRequest.Offer(
          id: OperationID(high: 1, low: UInt64(feed.text.utf8.count)), feed: feed,
          record: RecordMessage(key: TestDevice.book(1), state: state))
      }
      request.offers[1].id = OperationID(high: 2, low: 2)
      let answer = try await store.send(request, of: tablet)
      #expect(
        answer.verdicts.map(Self.word)
          == ["forbidden: gone", "feed: the record belongs to another feed"])
      #expect(answer.verdicts.allSatisfy { $0.record == nil })
    }
  }
}

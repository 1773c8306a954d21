import CommuteCore
import CommuteServer
import Testing

@Suite struct `what every store settles` {
  @Test(arguments: StoreKind.allCases)
  func `a new record reaches another device, with author and device name`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA, name: "phone")
      var tablet = TestDevice(0xB, name: "tablet")
      let written = try await store.round(&phone, [phone.operation(1, "Emma")])
      #expect(written.isAllApplied)
      #expect(written.verdicts.first?.revision?.number == 1)
      let read = try await store.round(&tablet)
      #expect(read.records.map { $0.text("title") } == ["Emma"])
      #expect(read.records.first?.state.author == "local")
      #expect(read.devices == [SyncAnswer.Device(replica: phone.replica, name: "phone")])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what the device can tell by itself is not sent back`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice()
      let answer = try await store.round(
        &phone, [phone.operation(1, "Emma"), phone.operation(2, "Persuasion")])
      #expect(answer.verdicts.map(\.record) == [nil, nil])
      #expect(answer.records.isEmpty)
      #expect(answer.feeds.first?.cursor == 2)
      let later = try await store.round(&phone)
      #expect(later.records.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the same operation has effect once`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice()
      let operation = phone.operation(1, "Emma")
      _ = try await store.round(&phone, [operation])
      let again = try await store.round(&phone, [operation])
      #expect(again.verdicts.first?.kind == .duplicate)
      #expect(again.verdicts.first?.record?.text("title") == "Emma")
      #expect(again.verdicts.first?.revision?.number == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the same operation id with other bytes is refused`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice()
      var operation = phone.operation(1, "Emma")
      _ = try await store.round(&phone, [operation])
      operation.fields["title"]?.value = .text("Not Emma")
      let again = try await store.round(&phone, [operation])
      #expect(again.verdicts.first.map(code) == .mismatch)
      var other = TestDevice(0xB)
      #expect(try await store.readAll(&other).map { $0.text("title") } == ["Emma"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `one bad operation leaves its neighbours alone`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice()
      phone.cursors["films"] = .some(nil)
      _ = try await store.round(&phone, [phone.operation(1, "Emma")])
      let answer = try await store.round(
        &phone,
        [
          phone.operation(1, "Austen", in: "author", creates: false, feed: "films"),
          phone.operation(2, "Persuasion"),
          phone.operation(3, "5", in: "rating", creates: false),
          phone.operation(4, "Sanditon"),
        ])
      #expect(answer.verdicts.map(code) == [.feed, nil, .gone, nil])
      #expect(answer.verdicts.map { $0.revision?.number } == [nil, 2, nil, 3])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an operation waits for the records it needs`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice()
      var review = phone.operation(2, "A review")
      review.needs = [TestDevice.book(1)]
      let early = try await store.round(&phone, [review])
      guard case .later(.needs, _) = early.verdicts.first?.kind else {
        Issue.record("it was judged: \(early.verdicts)")
        return
      }
      let late = try await store.round(&phone, [phone.operation(1, "Emma"), review])
      #expect(late.isAllApplied)
      let last = try await store.round(&phone, [review])
      #expect(last.verdicts.first?.kind == .duplicate)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a deletion travels, and an edit behind it is told`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      var tablet = TestDevice(0xB)
      _ = try await store.round(&phone, [phone.operation(1, "Emma")])
      _ = try await store.readAll(&tablet)
      _ = try await store.round(&phone, [phone.deletion(1)])
      let edit = tablet.operation(1, "lovely", in: "note", creates: false)
      let answer = try await store.round(&tablet, [edit])
      #expect(answer.isAllApplied)
      #expect(answer.verdicts.first?.record?.state.deleted != nil)
      var third = TestDevice(0xC)
      let all = try await store.readAll(&third)
      #expect(all.count == 2)
      #expect(all.first?.state.deleted != nil)
      #expect(all.first?.state.fields["note"] == nil)
      // What the edit wanted is kept as a conflict, which every store writes like any record.
      let conflict = all.last.flatMap { ConflictEntry(key: $0.key, state: $0.state) }
      #expect(conflict?.lost == .text("lovely"))
      #expect(conflict?.kept == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `fields of two devices come together`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      var tablet = TestDevice(0xB)
      _ = try await store.round(&phone, [phone.operation(1, "Emma")])
      _ = try await store.readAll(&tablet)
      let read = phone.operation(1, "yes", in: "read", creates: false)
      let note = tablet.operation(1, "lovely", in: "note", creates: false)
      _ = try await store.round(&phone, [read])
      let answer = try await store.round(&tablet, [note])
      let told = try #require(answer.verdicts.first?.record)
      #expect(told.text("read") == "yes")
      #expect(told.text("note") == "lovely")
      #expect(told.text("title") == "Emma")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a stamp from the future is settled under the server's clock, and the same claim alike`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      let year: Int64 = 31_536_000_000
      let claim = phone.stamp(later: year)
      let first = try await store.round(
        &phone, [phone.operation(1, "Emma", stamp: claim)])
      let settled = try #require(first.verdicts.first?.stamps["title"])
      #expect(settled.milliseconds < UInt64(TestDevice.time) + Limits.skewMilliseconds)
      #expect(settled.replica != phone.replica)
      #expect(first.devices.contains { $0.replica == settled.replica && $0.name == "server" })
      let again = phone.operation(1, "Emma, again", creates: false, stamp: claim)
      let second = try await store.round(&phone, [again])
      #expect(second.verdicts.first?.stamps["title"] == settled)
      let later = phone.operation(1, "Emma, later", creates: false, stamp: phone.stamp(later: year))
      let third = try await store.round(&phone, [later])
      let next = try #require(third.verdicts.first?.stamps["title"])
      #expect(settled < next)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a claim from the future that comes again does not beat what was written since`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      var tablet = TestDevice(0xB)
      let claim = phone.stamp(later: 31_536_000_000)
      let first = try await store.round(&phone, [phone.operation(1, "Emma", stamp: claim)])
      let settled = try #require(first.verdicts.first?.stamps["title"])
      let edit = tablet.operation(
        1, "Emma, by Jane Austen", creates: false, over: Over(stamp: settled, origin: claim),
        stamp: tablet.stamp(later: 5_000))
      #expect(try await store.round(&tablet, [edit], time: TestDevice.time + 5_000).isAllApplied)
      let again = phone.operation(1, "Emma", creates: false, stamp: claim)
      let answer = try await store.round(&phone, [again], time: TestDevice.time + 9_000)
      #expect(answer.verdicts.first?.stamps["title"] == settled)
      #expect(answer.verdicts.first?.record?.text("title") == "Emma, by Jane Austen")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a rule of the server refuses one operation, in its own words`(
    kind: StoreKind
  ) async throws {
    var rules = ServerRules()
    rules.refuse("book") { change in
      change.text("title") == "" ? "a book needs a title" : nil
    }
    rules.refuse("book") { change in
      change.changes("title") && !change.isNew ? "\(change.user) may not rename" : nil
    }
    try await kind.withStore(rules: rules) { store in
      var phone = TestDevice()
      let answer = try await store.round(
        &phone, [phone.operation(1, ""), phone.operation(2, "Emma")])
      #expect(
        answer.verdicts.map(\.kind) == [
          .rejected(.invalid, message: "a book needs a title"), .applied,
        ])
      let renamed = try await store.round(
        &phone, [phone.operation(2, "Emma II", creates: false)])
      #expect(
        renamed.verdicts.map(\.kind) == [.rejected(.invalid, message: "local may not rename")])
      #expect(renamed.verdicts.first?.record?.text("title") == "Emma")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a table with declared fields refuses values of another kind by name`(
    kind: StoreKind
  ) async throws {
    let table = TableSchema("book", fields: [FieldSchema("rating", .integer, isOptional: true)])
    let rules = ServerRules(try Schema(name: "library", version: 1, tables: [table]))
    try await kind.withStore(rules: rules) { store in
      var phone = TestDevice()
      let answer = try await store.round(
        &phone, [phone.operation(1, "five", in: "rating"), phone.operation(2, "red", in: "colour")])
      #expect(answer.verdicts.map(code) == [.kind, nil])
      guard case .rejected(_, let message) = answer.verdicts.first?.kind else { return }
      #expect(message.contains("book.rating"))
    }
  }

  private func code(_ verdict: Verdict) -> RejectionCode? {
    guard case .rejected(let code, _) = verdict.kind else { return nil }
    return code
  }
}

import CommuteCore
import CommuteServer
import Testing

@Suite struct `whose data every store tells apart` {
  @Test(arguments: StoreKind.allCases)
  func `tenants with the same ids never see each other`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let one = Account(tenant: "one", user: "ann")
      let two = Account(tenant: "two", user: "ann")
      var phone = TestDevice(0xA, name: "phone of one", account: one)
      var twin = TestDevice(0xA, name: "phone of two", account: two)
      let operation = phone.operation(1, "Emma")
      let first = try await store.round(&phone, [operation])
      var same = operation
      same.fields["title"]?.value = .text("Dracula")
      let second = try await store.round(&twin, [same])
      #expect(first.isAllApplied)
      #expect(second.isAllApplied)
      #expect(first.verdicts.first?.revision?.number == 1)
      #expect(second.verdicts.first?.revision?.number == 1)
      var reader = TestDevice(0xB, account: one)
      var other = TestDevice(0xB, account: two)
      let read = try await store.round(&reader)
      let others = try await store.round(&other)
      #expect(read.records.map { $0.text("title") } == ["Emma"])
      #expect(others.records.map { $0.text("title") } == ["Dracula"])
      #expect(read.devices.map(\.name) == ["phone of one"])
      #expect(others.devices.map(\.name) == ["phone of two"])
      let edit = other.operation(2, "yes", in: "read", creates: false)
      let gone = try await store.round(&other, [edit])
      #expect(!gone.isAllApplied)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `users of a tenant share its feeds, each change with its author`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var ann = TestDevice(0xA, account: Account(tenant: "home", user: "ann"))
      var bob = TestDevice(0xB, account: Account(tenant: "home", user: "bob"))
      _ = try await store.round(&ann, [ann.operation(1, "Emma")])
      #expect(try await store.readAll(&bob).map(\.state.author) == ["ann"])
      _ = try await store.round(&bob, [bob.operation(1, "lovely", in: "note", creates: false)])
      #expect(try await store.readAll(&ann).map(\.state.author) == ["bob"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the replica id of somebody else has to be given up`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var ann = TestDevice(0xA, account: Account(tenant: "home", user: "ann"))
      var bob = TestDevice(0xA, account: Account(tenant: "home", user: "bob"))
      bob.number = 100
      _ = try await store.round(&ann, [ann.operation(1, "Emma")])
      let answer = try await store.round(&bob, [bob.operation(2, "Dracula")])
      #expect(answer.renew == [])
      #expect(answer.verdicts.isEmpty)
      #expect(try await store.readAll(&ann).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a request number that was used under another nonce settles nothing`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      var copy = phone
      _ = try await store.round(&phone, [phone.operation(1, "Emma")])
      _ = copy.unique()
      _ = copy.unique()
      let answer = try await store.round(&copy, [copy.operation(2, "Dracula")])
      #expect(answer.renew == [])
      #expect(answer.verdicts.isEmpty)
      #expect(answer.feeds.isEmpty)
      copy.replica = ReplicaID(rawValue: 0xC)
      let renewed = try await store.round(&copy, [copy.operation(2, "Dracula")])
      #expect(renewed.isAllApplied)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the same request again is answered again`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      let request = try phone.request([phone.operation(1, "Emma")])
      let first = try await store.send(request, of: phone)
      let again = try await store.send(request, of: phone)
      #expect(first.isAllApplied)
      #expect(again.renew == nil)
      #expect(again.verdicts.map(\.kind) == [.duplicate])
      #expect(again.nonce == request.nonce)
      let pull = try await store.round(&phone)
      #expect(pull.renew == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a device of another epoch settles nothing and gets no records`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      _ = try await store.round(&phone, [phone.operation(1, "Emma")])
      let known = phone.epoch
      phone.epoch = Epoch(rawValue: 0xBAD)
      let request = try phone.request([phone.operation(2, "Dracula")])
      let answer = try await store.send(request, of: phone)
      #expect(answer.epoch == known)
      #expect(answer.verdicts.isEmpty)
      #expect(answer.feeds.isEmpty)
      let identity = try await store.identity()
      #expect(identity.epoch == known)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a closed store says so`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      let push = try phone.request([phone.operation(1, "Emma")])
      let pull = try phone.request()
      await store.close()
      await #expect(throws: ServerStoreError.closed) { try await store.identity() }
      for request in [push, pull] {
        await #expect(throws: ServerStoreError.closed) {
          try await store.answer(request, of: .local, time: TestDevice.time)
        }
      }
    }
  }
}

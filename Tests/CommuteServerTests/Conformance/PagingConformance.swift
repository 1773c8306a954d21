import CommuteCore
import CommuteServer
import Testing

@Suite struct `how every store cuts pages` {
  @Test(arguments: StoreKind.allCases)
  func `a page carries as many records as the device takes, and the cursor is the last one's`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      _ = try await store.round(&phone, books(1...10, of: &phone))
      var tablet = TestDevice(0xB)
      let limit = SyncRequest.Limit(bytes: 1 << 20, records: 4)
      var seen: [[UInt64]] = []
      var cursors: [UInt64?] = []
      for _ in 0..<4 {
        let answer = try await store.round(&tablet, limit: limit)
        seen.append(answer.numbers)
        cursors.append(answer.feeds.first?.cursor)
      }
      #expect(seen == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10], []])
      #expect(cursors == [4, 8, 10, 10])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a page is cut by bytes, and carries at least one record`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      let long = String(repeating: "x", count: 2_000)
      let operations = (1...5).map { phone.operation($0, long) }
      _ = try await store.round(&phone, operations)
      var tablet = TestDevice(0xB)
      let pages = [
        SyncRequest.Limit(bytes: 5_000, records: 100), SyncRequest.Limit(bytes: 1, records: 100),
        SyncRequest.Limit(bytes: 0, records: 0), SyncRequest.Limit(bytes: 5_000, records: 100),
      ]
      var counts: [Int] = []
      var more: [Bool] = []
      for limit in pages {
        let answer = try await store.round(&tablet, limit: limit)
        counts.append(answer.records.count)
        more.append(answer.feeds.first?.more ?? false)
      }
      #expect(counts == [2, 1, 1, 1])
      #expect(more == [true, true, true, false])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `feeds share a page, and none waits for another's end`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      let feeds: [Key] = ["books", "films", "songs"]
      for feed in feeds { phone.cursors[feed] = .some(nil) }
      let text = String(repeating: "x", count: 1_000)
      var number: UInt64 = 0
      for feed in feeds {
        let operations = (0..<30).map { _ in
          number += 1
          return phone.operation(number, text, feed: feed)
        }
        _ = try await store.round(&phone, operations)
      }
      var tablet = TestDevice(0xB)
      for feed in feeds { tablet.cursors[feed] = .some(nil) }
      let limit = SyncRequest.Limit(bytes: 30_000, records: 1_000)
      let first = try await store.round(&tablet, limit: limit)
      #expect(first.feeds.map(\.feed) == feeds)
      let counts = first.feeds.map(\.records.count)
      #expect(counts.allSatisfy { $0 >= 7 }, "\(counts)")
      #expect(first.feeds.allSatisfy { $0.more })
      let rest = try await store.readAll(&tablet, limit: limit)
      let all = first.records + rest
      #expect(Set(all.map(\.key)).count == 90)
      #expect(all.count == 90)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a changed record stands once in its feed, at its last number`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      _ = try await store.round(&phone, books(1...3, of: &phone))
      _ = try await store.round(&phone, [phone.operation(1, "again", in: "note", creates: false)])
      var tablet = TestDevice(0xB)
      #expect(try await store.readAll(&tablet).map(\.key.id.low) == [2, 3, 1])
      #expect(tablet.cursors["books"] == 4)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a cursor from nowhere reads on from the head`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      _ = try await store.round(&phone, books(1...3, of: &phone))
      var tablet = TestDevice(0xB)
      tablet.cursors["books"] = 99
      let answer = try await store.round(&tablet)
      #expect(answer.records.isEmpty)
      #expect(answer.feeds.first?.cursor == 3)
      #expect(answer.feeds.first?.reset == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a feed that is asked about twice is answered once`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      _ = try await store.round(&phone, books(1...3, of: &phone))
      var tablet = TestDevice(0xB)
      var request = try tablet.request()
      request.feeds.append(request.feeds[0])
      let answer = try await store.answer(request, of: .local, time: TestDevice.time)
      #expect(answer.feeds.count == 1)
      #expect(answer.records.count == 3)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a subscription on another grant is told to read anew`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      _ = try await store.round(&phone, books(1...3, of: &phone))
      var tablet = TestDevice(0xB)
      var request = try tablet.request()
      request.feeds[0].grant = 7
      request.feeds[0].cursor = 3
      let answer = try await store.answer(request, of: .local, time: TestDevice.time)
      #expect(answer.feeds.first?.grant == 1)
      #expect(answer.feeds.first?.reset == 0)
      #expect(answer.records.count == 3)
    }
  }

  /// New books with these numbers.
  private func books(
    _ numbers: ClosedRange<UInt64>, of device: inout TestDevice
  ) -> [CommuteCore.Operation] {
    numbers.map { device.operation($0, "Book \($0)") }
  }
}

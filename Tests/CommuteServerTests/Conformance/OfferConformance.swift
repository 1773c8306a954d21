import CommuteCore
import CommuteServer
import Testing

@Suite struct `what every store does with records of an earlier history` {
  private static let earlier = Epoch(rawValue: 0xEA)

  private func request(
    _ offers: [SyncRequest.Offer], of device: inout TestDevice,
    with operations: [CommuteCore.Operation] = []
  ) throws -> SyncRequest {
    if operations.isEmpty { device.number += 1 }
    var request = try device.request(operations)
    request.offers = offers
    return try SyncRequest(decoding: request.encoded())
  }

  private func offer(
    _ book: UInt64, _ title: String, at stamp: Stamp, origin: Stamp? = nil, number: UInt64 = 9
  ) -> SyncRequest.Offer {
    SyncRequest.Offer(
      id: OperationID(high: 0x0FFE, low: book), feed: "books",
      record: RecordMessage(
        key: TestDevice.book(book),
        state: RecordState(
          revision: Revision(epoch: Self.earlier, number: number), author: "ann",
          fields: ["title": FieldState(value: .text(title), stamp: stamp, origin: origin)])))
  }

  @Test(arguments: StoreKind.allCases)
  func `they come back before the operations on them, each with a verdict and its record`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      let stamp = phone.stamp()
      let edit = phone.operation(7, "lovely", in: "note", creates: false)
      let request = try request([offer(7, "Emma", at: stamp)], of: &phone, with: [edit])
      let answer = try await store.send(request, of: phone)
      #expect(answer.isAllApplied)
      #expect(answer.verdicts.map(\.id) == [request.offers[0].id, edit.id])
      #expect(answer.verdicts[0].record?.text("title") == "Emma")
      #expect(answer.verdicts[0].revision?.number == 1)
      #expect(answer.verdicts[1].revision?.number == 2)
      var tablet = TestDevice(0xB)
      let read = try await store.readAll(&tablet)
      #expect(read.map { $0.text("title") } == ["Emma"])
      #expect(read.map { $0.text("note") } == ["lovely"])
      #expect(read.first?.state.fields["title"]?.stamp == stamp)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `they merge by their stamps, and the same again changes nothing`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      let (early, late) = (phone.stamp(), phone.stamp(later: 10))
      _ = try await store.round(
        &phone,
        [phone.operation(1, "Emma", stamp: late), phone.operation(2, "Dracula", stamp: early)])
      let offers = [offer(1, "Older", at: early), offer(2, "Newer", at: late)]
      let answer = try await store.send(try request(offers, of: &phone), of: phone)
      #expect(answer.verdicts.map { $0.record?.text("title") } == ["Emma", "Newer"])
      #expect(answer.verdicts.map { $0.revision?.number } == [1, 3])
      let again = try await store.send(try request(offers, of: &phone), of: phone)
      #expect(again.verdicts.map { $0.revision?.number } == [1, 3])
      #expect(again.isAllApplied)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a claim settled by the lost history keeps its settled stamp`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      var phone = TestDevice(0xA)
      let claimed = phone.stamp(later: 31_536_000_000)
      let settled = Stamp(
        milliseconds: UInt64(TestDevice.time), counter: 9, replica: ReplicaID(rawValue: 0x5))
      let offers = [offer(1, "Emma", at: settled, origin: claimed)]
      _ = try await store.send(try request(offers, of: &phone), of: phone)
      // Another copy of the file sends the claim itself.
      let again = try await store.round(
        &phone, [phone.operation(1, "Emma", creates: true, stamp: claimed)])
      #expect(again.isAllApplied)
      #expect(again.verdicts.first?.stamps["title"] == settled)
    }
  }
}

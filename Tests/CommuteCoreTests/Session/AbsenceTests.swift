import CommuteCore
import Testing

/// What becomes of records that a reset did not tell, or whose feed was taken away.
@Suite struct AbsenceTests {
  var bench = DeviceBench()
  let replica = ReplicaID(rawValue: 1)

  func codes(_ rejections: [Rejection]) -> [RejectionCode] { rejections.map { $0.code } }

  @Test mutating func `a record that the server no longer has goes`() {
    bench.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(5))]))
    let rejections = bench.record.sweep(by: replica)
    #expect(rejections.isEmpty)
    #expect(bench.record.view == nil)
  }

  @Test mutating func `pending changes of it go to the inbox, in their order`() throws {
    bench.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(5))]))
    try bench.change(["title": .text("b")])
    bench.send()
    try bench.change(["title": .text("c")])
    let rejections = bench.record.sweep(by: replica)
    #expect(codes(rejections) == [.gone, .gone])
    let titles = rejections.map { $0.row.operation.fields["title"]?.value }
    #expect(titles == [.text("b"), .text("c")])
    #expect(bench.record.rows.isEmpty)
    #expect(bench.record.view == nil)
  }

  @Test mutating func `a creation that was never sent is still sent, with what is behind it`()
    throws
  {
    try bench.create(["title": .text("a")])
    bench.send()
    bench.record.noteUnsettled()
    try bench.change(["title": .text("b")])
    let rejections = bench.record.sweep(by: replica)
    #expect(rejections.isEmpty)
    #expect(bench.record.rows.count == 2)
    #expect(bench.view == ["title": "b"])
  }

  @Test mutating func `a creation that was perhaps sent goes to the inbox`() throws {
    try bench.create(["title": .text("a")])
    bench.send()
    let rejections = bench.record.sweep(by: replica)
    #expect(codes(rejections) == [.gone])
    #expect(rejections.first?.row.unanswered == 1)
    #expect(bench.record.rows.isEmpty)
  }

  @Test mutating func `so does one that was written under another replica id`() throws {
    try bench.create(["title": .text("a")])
    let rejections = bench.record.sweep(by: ReplicaID(rawValue: 2))
    #expect(codes(rejections) == [.gone])
  }

  @Test mutating func `an offer outstanding decides by itself, and its rows wait for it`() throws {
    bench.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(5))]))
    bench.record.offerAgain(after: OfferTests.lost, id: OperationID(high: 9, low: 9))
    try bench.change(["title": .text("b")])
    let rejections = bench.record.sweep(by: replica)
    #expect(rejections.isEmpty)
    #expect(bench.record.base == nil)
    #expect(bench.record.offer != nil)
    #expect(bench.view == ["title": "b"])
  }

  // MARK: - Taken away

  @Test mutating func `a revocation removes base and puts what is pending into the inbox`() throws {
    bench.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(5))]))
    try bench.change(["title": .text("b")])
    bench.send()
    bench.record.noteUnsettled()
    try bench.change(["title": .text("c")])
    let rejections = bench.record.revoke(reason: "left")
    #expect(codes(rejections) == [.forbidden, .forbidden])
    #expect(rejections[0].message == "the feed books is no longer granted: left")
    // What is under way may still arrive.
    #expect(rejections.map { $0.row.unanswered } == [1, 0])
    #expect(bench.record.view == nil)
  }

  @Test mutating func `an offer is not lost by a revocation`() {
    bench.absorb(DeviceBench.state(["title": ("a", DeviceBench.stamp(5))]))
    bench.record.offerAgain(after: OfferTests.lost, id: OperationID(high: 9, low: 9))
    let rejections = bench.record.revoke(reason: "left")
    #expect(codes(rejections) == [.forbidden])
    #expect(rejections.first?.row.operation.creates == true)
    #expect(rejections.first?.row.operation.fields["title"]?.value == .text("a"))
    #expect(bench.record.offer == nil)
  }
}

import CommuteCore
import Testing

@Suite struct OutboxRowTests {
  var row = OutboxRow(
    operation: Operation(
      id: OperationID(high: 0, low: 1), schema: 1, replica: ReplicaID(rawValue: 1),
      key: DeviceBench.key, feed: "books"))

  @Test mutating func `a row waits for its time`() {
    row.notBefore = 1_000
    #expect(!row.isDue(wall: 999))
    #expect(row.isDue(wall: 1_000))
  }

  @Test mutating func `a time beyond every delay was noted under another clock`() {
    row.notBefore = 315_360_000_000
    #expect(row.isDue(wall: 1_000))
    row.notBefore = 1_000 + OutboxRow.longestDelay
    #expect(!row.isDue(wall: 1_000))
    row.notBefore += 1
    #expect(row.isDue(wall: 1_000))
  }

  @Test mutating func `a clock at the ends of its range does no harm`() {
    row.notBefore = .max
    #expect(row.isDue(wall: .max))
    #expect(row.isDue(wall: .min))
    row.notBefore = .min
    #expect(row.isDue(wall: .min))
  }

  @Test mutating func `it is perhaps sent without an answer, or where another replica wrote it`() {
    #expect(!row.isPerhapsSent(by: ReplicaID(rawValue: 1)))
    #expect(row.isPerhapsSent(by: ReplicaID(rawValue: 2)))
    row.unanswered = 1
    #expect(row.isPerhapsSent(by: ReplicaID(rawValue: 1)))
  }
}

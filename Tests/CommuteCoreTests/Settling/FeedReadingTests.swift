import CommuteCore
import Testing

@Suite struct FeedReadingTests {
  let head = FeedHead(head: 9, fence: 4, grant: 2)

  func asked(
    cursor: UInt64?, grant: UInt64? = nil, reset: UInt64? = nil
  ) -> SyncRequest.Feed {
    SyncRequest.Feed(feed: "books", grant: grant, cursor: cursor, reset: reset)
  }

  @Test func `a device reads on after its cursor`() {
    #expect(FeedReading(asked(cursor: 6), head: head) == .read(after: 6))
    #expect(FeedReading(asked(cursor: 6, grant: 2), head: head) == .read(after: 6))
    #expect(FeedReading(asked(cursor: 4), head: head) == .read(after: 4))
  }

  @Test func `a device without a cursor starts at the start`() {
    #expect(FeedReading(asked(cursor: nil), head: FeedHead(head: 9)) == .read(after: 0))
  }

  @Test func `where anything was purged, starting at the start is a reset`() {
    #expect(FeedReading(asked(cursor: nil), head: head) == .reset(fence: 4, after: 0))
  }

  @Test func `a cursor beyond the head reads from the head`() {
    #expect(FeedReading(asked(cursor: 99), head: head) == .read(after: 9))
    #expect(FeedReading(asked(cursor: 99, reset: 4), head: head).after == 9)
  }

  @Test func `a cursor before the fence is reset`() {
    #expect(FeedReading(asked(cursor: 3), head: head) == .reset(fence: 4, after: 0))
  }

  @Test func `inside a reset it goes on, unless the fence has moved`() {
    #expect(FeedReading(asked(cursor: 3, reset: 4), head: head) == .reset(fence: 4, after: 3))
    #expect(FeedReading(asked(cursor: 7, reset: 4), head: head) == .reset(fence: 4, after: 7))
    #expect(FeedReading(asked(cursor: nil, reset: 4), head: head) == .reset(fence: 4, after: 0))
    #expect(FeedReading(asked(cursor: 7, reset: 2), head: head) == .reset(fence: 4, after: 0))
  }

  @Test func `an older grant is reset, also where nothing was purged`() {
    #expect(FeedReading(asked(cursor: 6, grant: 1), head: head) == .reset(fence: 4, after: 0))
    let unfenced = FeedReading(asked(cursor: 6, grant: 1), head: FeedHead(head: 9, grant: 2))
    #expect(unfenced == .reset(fence: 0, after: 0))
    #expect(unfenced.fence == 0)
  }

  @Test func `a reset under a new grant goes on, too`() {
    let going = asked(cursor: 3, grant: 2, reset: 0)
    let unfenced = FeedHead(head: 9, grant: 2)
    #expect(FeedReading(going, head: unfenced) == .reset(fence: 0, after: 3))
  }

  @Test func `what was taken away is told with its reason, whatever is asked`() {
    let shut = FeedHead(head: 9, fence: 4, grant: 2, revoked: "left")
    for asked in [asked(cursor: nil), asked(cursor: 6, grant: 2), asked(cursor: 1, reset: 4)] {
      let reading = FeedReading(asked, head: shut)
      #expect(reading == .revoked(reason: "left"))
      #expect(reading.after == nil)
      #expect(reading.fence == nil)
    }
  }

  // MARK: - Where to read on

  @Test func `while there is more it is the last record's number`() {
    let cursor = FeedReading.cursor(head: 9, lastSent: 7, after: 6, more: true)
    #expect(cursor == 7)
  }

  @Test func `at the end it is the head`() {
    #expect(FeedReading.cursor(head: 9, lastSent: 8, after: 6, more: false) == 9)
    #expect(FeedReading.cursor(head: 9, lastSent: nil, after: 6, more: false) == 9)
  }

  @Test func `a feed whose turn has not come stays where it is`() {
    #expect(FeedReading.cursor(head: 9, lastSent: nil, after: 6, more: true) == 6)
  }

  @Test func `it never goes back`() {
    #expect(FeedReading.cursor(head: 5, lastSent: nil, after: 6, more: false) == 6)
  }
}

@Suite struct PageBudgetTests {
  @Test func `a page is cut by bytes`() {
    var budget = PageBudget(limit: SyncRequest.Limit(bytes: 100, records: 10))
    let taken = [60, 40, 1].map { budget.take($0) }
    #expect(taken == [true, true, false])
  }

  @Test func `a smaller record may still fit`() {
    var budget = PageBudget(limit: SyncRequest.Limit(bytes: 100, records: 10))
    let taken = [60, 50, 40].map { budget.take($0) }
    #expect(taken == [true, false, true])
  }

  @Test func `a page is cut by count`() {
    var budget = PageBudget(limit: SyncRequest.Limit(bytes: 100, records: 2))
    let taken = [1, 1, 1].map { budget.take($0) }
    #expect(taken == [true, true, false])
  }

  @Test func `it carries at least one record, however large and however little was asked for`() {
    var large = PageBudget(limit: SyncRequest.Limit(bytes: 10, records: 10))
    let first = large.take(5_000)
    let second = large.take(1)
    var none = PageBudget(limit: SyncRequest.Limit(bytes: 0, records: 0))
    let only = none.take(5_000)
    #expect(first)
    #expect(!second)
    #expect(only)
  }

  @Test func `the server's own limit counts, too, and no number traps`() {
    var budget = PageBudget(
      limit: SyncRequest.Limit(bytes: .max, records: .max), pageBytes: 100)
    let taken = [60, 60].map { budget.take($0) }
    #expect(taken == [true, false])
  }
}

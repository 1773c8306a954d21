import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTasks
import Foundation
import Testing

@Suite struct ScheduleTests {
  let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func occurrences() throws -> [Int64] {
    try workshop.rows("SELECT occurrence FROM q_task ORDER BY id").compactMap {
      if case .integer(let at) = $0[0] { at } else { nil }
    }
  }

  @Test func `G27 each nominal instant is queued once, and none drifts`() async throws {
    let (_, queue) = try await workshop.open()
    let anchor = workshop.clock.now - 250
    try await queue.schedule("tick", Job(), .every(milliseconds: 1_000, anchor: anchor))
    for _ in 0..<5 {
      workshop.clock.pass(790)
      try await queue.drain()
      try await queue.drain()
    }
    #expect(try occurrences() == (1...4).map { anchor + $0 * 1_000 })
    #expect(workshop.done.count == 4)
    #expect(try await queue.schedules().map(\.next) == [anchor + 5_000])
    #expect(try await queue.unschedule("tick"))
    workshop.clock.pass(10_000)
    try await queue.drain()
    #expect(workshop.done.count == 4)
  }

  @Test(arguments: [
    (CatchUp.skip, []), (.latest, [10]), (.all(most: 3), [8, 9, 10]),
    (.all(most: 50), Array(1...10)),
  ])
  func `G28 after a pause it goes on by its rule`(catchUp: CatchUp, made: [Int64]) async throws {
    let (_, queue) = try await workshop.open()
    let anchor = workshop.clock.now
    try await queue.schedule(
      "hourly", Job(), .every(milliseconds: 3_600_000, anchor: anchor), overlap: .allow,
      catchUp: catchUp)
    workshop.clock.pass(10 * 3_600_000 + 600_000)
    try await queue.drain()
    #expect(try occurrences() == made.map { anchor + $0 * 3_600_000 })
    #expect(try await queue.schedules().map(\.next) == [anchor + 11 * 3_600_000])
    workshop.clock.pass(3_000_000)
    try await queue.drain()
    #expect(try occurrences().last == anchor + 11 * 3_600_000)
  }

  @Test func `an occurrence that meets the one before it does as declared`() async throws {
    for overlap in Overlap.allCases {
      let workshop = try Workshop()
      let (_, queue) = try await workshop.open()
      try await queue.schedule(
        "tick", Job(word: "park"), .every(milliseconds: 1_000, anchor: workshop.clock.now),
        overlap: overlap)
      for _ in 0..<3 {
        workshop.clock.pass(1_000)
        try await queue.drain()
      }
      let states = try workshop.rows("SELECT state FROM q_task ORDER BY id").map { $0[0] }
      switch overlap {
      case .skip: #expect(states == [.integer(5)])
      case .queueOne: #expect(states == [.integer(5), .integer(2)])
      case .cancelRunning: #expect(states == [.integer(12), .integer(12), .integer(5)])
      case .allow: #expect(states == [.integer(5), .integer(5), .integer(5)])
      }
    }
  }

  private static let zones = [
    "Europe/Zurich", "Europe/London", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
    "Asia/Tehran", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Auckland",
    "Africa/Casablanca", "America/Havana", "Asia/Gaza", "UTC",
  ]

  /// Around every change of the clocks from 2000 to 2037, every quarter of an hour of the day.
  @Test(arguments: zones)
  func `G26 a local time happens once, whatever the clocks do`(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    func offset(_ seconds: Int64) -> Int64 {
      Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }
    var transition = Date(timeIntervalSince1970: 946_684_800)
    let end = Date(timeIntervalSince1970: 2_145_916_800)
    var count = 0
    while let next = zone.nextDaylightSavingTimeTransition(after: transition), next < end {
      transition = next
      count += 1
      let at = Int64(next.timeIntervalSince1970)
      // The local day of the change, by the clock before it.
      let local = at - 1 + offset(at - 1)
      let day = local - (local % 86_400 + 86_400) % 86_400
      for quarter in 0..<96 {
        let time = day + Int64(quarter) * 900
        let rule = CalendarRule.daily(hour: quarter / 4, minute: quarter % 4 * 15)
        // Every second quarter of an hour of the time line, looked at one by one.
        var expected: Int64?
        var afterGap: Int64?
        var instant = time - 16 * 3_600
        while instant <= time + 16 * 3_600 {
          let shown = instant + offset(instant)
          if shown == time, expected == nil { expected = instant }
          if shown > time, instant >= at, afterGap == nil { afterGap = at }
          instant += 900
        }
        let wanted = (expected ?? afterGap ?? 0) * 1_000
        let found = Recurrence.calendar(rule).next(after: wanted - 1, offset: offset)
        #expect(found == wanted, "\(name) \(next) quarter \(quarter)")
        let second = Recurrence.calendar(rule).next(after: wanted, offset: offset)
        // A day that a place leaves out, as Samoa did in 2011, ends where the next one begins.
        let isWholeDay = abs(offset(at) - offset(at - 1)) > 4 * 3_600
        let least: Int64 = isWholeDay ? 0 : 20 * 3_600_000
        #expect((second ?? 0) - wanted > least, "\(name) \(next) quarter \(quarter)")
      }
    }
    #expect(["UTC", "Asia/Kathmandu"].contains(name) || count > 0)
  }

  @Test func `days, weekdays, months and the last day`() {
    func days(_ rule: CalendarRule, _ count: Int) -> [String] {
      var time: Int64 = 1_704_067_200_000 - 1
      var found: [String] = []
      while found.count < count,
        let next = Recurrence.calendar(rule).next(after: time, offset: { _ in 0 })
      {
        found.append(
          String(Date(timeIntervalSince1970: Double(next) / 1_000).ISO8601Format().prefix(10)))
        time = next
      }
      return found
    }
    var rule = CalendarRule.daily(hour: 7)
    rule.weekdays = [1]
    #expect(days(rule, 3) == ["2024-01-01", "2024-01-08", "2024-01-15"])
    rule.weekdays = []
    rule.days = [-1]
    #expect(days(rule, 4) == ["2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30"])
    rule.days = [29]
    rule.months = [2]
    #expect(days(rule, 3) == ["2024-02-29", "2028-02-29", "2032-02-29"])
    rule.days = [31]
    #expect(days(rule, 1).isEmpty)
    rule.days = [13]
    rule.months = []
    rule.weekdays = [5]
    #expect(days(rule, 3) == ["2024-09-13", "2024-12-13", "2025-06-13"])
  }

  @Test func `a period is counted from its anchor, before it, too`() {
    let rule = Recurrence.every(milliseconds: 100, anchor: 1_050)
    #expect(rule.next(after: 1_050, offset: { _ in 0 }) == 1_150)
    #expect(rule.next(after: 1_049, offset: { _ in 0 }) == 1_050)
    #expect(rule.next(after: -60, offset: { _ in 0 }) == -50)
    #expect(rule.next(after: .max, offset: { _ in 0 }) == nil)
    #expect(Recurrence.every(milliseconds: 0, anchor: 0).next(after: 5, offset: { _ in 0 }) == nil)
    #expect(
      rule.instants(after: 0, through: 1_000_000_000_050, most: 2, offset: { _ in 0 })
        == [999_999_999_950, 1_000_000_000_050])
  }

  @Test func `a place that nobody knows is refused, and nothing is scheduled`() async throws {
    let (_, queue) = try await workshop.open()
    await #expect(throws: QueueError.unknownTimeZone("Europe/Zurick")) {
      try await queue.schedule(
        "report", Job(), .calendar(CalendarRule()), timeZone: "Europe/Zurick")
    }
    #expect(try await queue.schedules().isEmpty)
  }
}

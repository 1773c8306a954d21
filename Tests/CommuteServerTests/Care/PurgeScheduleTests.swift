import CommuteServerSQLite
import Testing

@Suite struct `a server that purges by itself` {
  /// Whether a purge is due at each of these times, asked one after the other.
  private func turns(_ schedule: inout PurgeSchedule, _ times: Int64...) -> [Bool] {
    times.map { schedule.takeTurn(wall: $0) }
  }

  @Test func `waits after its start, then purges once in a period`() {
    var schedule = PurgeSchedule(from: 1_000, delay: 50, period: 100)
    let due = turns(&schedule, 1_000, 1_049, 1_050, 1_149, 1_150, 9_000)
    #expect(due == [false, false, true, false, true, true])
    #expect(schedule.next == 9_100)
  }

  @Test func `purges at once where it is told so`() {
    var schedule = PurgeSchedule(from: 1_000, delay: 0)
    let due = turns(&schedule, 1_000, 1_000)
    #expect(due == [true, false])
  }

  @Test func `is not stopped by a clock that stood ahead`() {
    var schedule = PurgeSchedule(from: 900_000, delay: 50, period: 100)
    let due = turns(&schedule, 1_000, 1_000)
    #expect(due == [true, false])
    #expect(schedule.next == 1_100)
  }

  @Test func `has a day and an hour of its own, and knows no clock that is too late`() {
    #expect(PurgeSchedule(from: 0).next == 3_600_000)
    var last = PurgeSchedule(from: .max, delay: 1, period: 0)
    #expect(last.next == .max)
    let isLastDue = last.takeTurn(wall: .max)
    #expect(isLastDue)
    var first = PurgeSchedule(from: .min, delay: -1)
    let isFirstDue = first.takeTurn(wall: .min)
    #expect(isFirstDue)
    #expect(first.next == .min + 86_400_000)
  }
}

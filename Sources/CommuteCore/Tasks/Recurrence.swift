/// When something happens again and again: the nominal instants, which do not drift with how long
/// anything takes.
public enum Recurrence: Hashable, Sendable {
  /// Every so many milliseconds, counted from an instant of the wall clock.
  case every(milliseconds: Int64, anchor: Int64)
  /// At times of the calendar of a place.
  case calendar(CalendarRule)

  /// The first nominal instant after a time, in milliseconds since 1970.
  ///
  /// - Parameters:
  ///   - time: The time, in milliseconds since 1970.
  ///   - offset: The place's distance from UTC in seconds, at a time in seconds since 1970.
  /// - Returns: The instant; nil where there is none within eight years.
  public func next(after time: Int64, offset: (Int64) -> Int64) -> Int64? {
    switch self {
    case .every(let length, let anchor):
      guard length > 0 else { return nil }
      let (distance, isFar) = time.subtractingReportingOverflow(anchor)
      guard !isFar else { return nil }
      // The number of whole periods, rounded down also before the anchor.
      let rest = distance % length
      let passed = distance - (rest < 0 ? rest + length : rest)
      let (sum, overflow) = anchor.addingReportingOverflow(passed)
      let (next, overflowToo) = sum.addingReportingOverflow(length)
      return overflow || overflowToo ? nil : next
    case .calendar(let rule): return rule.next(after: time, offset: offset)
    }
  }

  /// The nominal instants after one time up to another, at most so many of the latest.
  ///
  /// - Parameters:
  ///   - time: The time after which they lie.
  ///   - end: The last time that counts.
  ///   - most: How many are wanted; earlier ones are left out.
  ///   - offset: The place's distance from UTC in seconds, at a time in seconds since 1970.
  /// - Returns: The instants in their order.
  public func instants(
    after time: Int64, through end: Int64, most: Int, offset: (Int64) -> Int64
  ) -> [Int64] {
    guard most > 0 else { return [] }
    // From the end backwards, twice as far each time: what is left out may be very much.
    var span: Int64 = 86_400_000
    while true {
      let (start, isFar) = end.subtractingReportingOverflow(span)
      let from = isFar ? time : max(time, start)
      var found: [Int64] = []
      var last = from
      while let next = next(after: last, offset: offset), next <= end {
        found.append(next)
        last = next
      }
      if found.count >= most || from == time { return found.suffix(most) }
      span = span.multipliedReportingOverflow(by: 2).overflow ? .max : span * 2
    }
  }
}

/// Times of the calendar of a place, such as "half past seven on Mondays".
///
/// A local time that a day does not have, because clocks were put forward over it, happens once, at
/// the first instant after the gap; one that a day has twice happens once, on the first.
public struct CalendarRule: Hashable, Sendable {
  /// The months, 1 to 12; none for every month.
  public var months: Set<Int> = []
  /// The days of the month, 1 to 31, and −1 for the last; none for every day.
  public var days: Set<Int> = []
  /// The days of the week, 1 for Monday to 7 for Sunday; none for every day.
  public var weekdays: Set<Int> = []
  /// The hours, 0 to 23; none for every hour.
  public var hours: Set<Int> = []
  /// The minutes, 0 to 59; none for every minute.
  public var minutes: Set<Int> = [0]

  /// Makes a rule: every full hour, unless told otherwise.
  public init() {}

  /// Every day at a time.
  public static func daily(hour: Int, minute: Int = 0) -> CalendarRule {
    var rule = CalendarRule()
    rule.hours = [hour]
    rule.minutes = [minute]
    return rule
  }

  /// How many days are looked at before there is nothing: a leap day comes after eight years at
  /// most.
  private static let daysAhead: Int64 = 8 * 366

  /// The first instant after a time, both in milliseconds since 1970.
  func next(after time: Int64, offset: (Int64) -> Int64) -> Int64? {
    guard abs(time) < 1 << 50 else { return nil }
    let seconds = time.dividedDown(by: 1_000)
    let today = (seconds + offset(seconds)).dividedDown(by: 86_400)
    let times = minutesOfDay
    // A gap may carry a day's times over midnight: yesterday may still have one to come. A later
    // local time is never an earlier instant, so the first one found is the first.
    for day in today - 1...today + Self.daysAhead where matches(CivilDate(day: day)) {
      for minute in times {
        let instant = Self.instant(day * 86_400 + minute * 60, offset: offset) * 1_000
        if instant > time { return instant }
      }
    }
    return nil
  }

  /// The minutes of a day at which it happens, in order.
  private var minutesOfDay: [Int64] {
    var times: [Int64] = []
    for hour in 0..<24 where hours.isEmpty || hours.contains(hour) {
      for minute in 0..<60 where minutes.isEmpty || minutes.contains(minute) {
        times.append(Int64(hour * 60 + minute))
      }
    }
    return times
  }

  private func matches(_ date: CivilDate) -> Bool {
    if !months.isEmpty, !months.contains(date.month) { return false }
    if !weekdays.isEmpty, !weekdays.contains(date.weekday) { return false }
    if days.isEmpty || days.contains(date.day) { return true }
    return days.contains(-1) && date.isLastOfMonth
  }

  /// When a local time is: the first of two, the end of the gap where there is none.
  ///
  /// Both sides are seconds, the local time as if it were UTC.
  private static func instant(_ local: Int64, offset: (Int64) -> Int64) -> Int64 {
    // No offset is more than a day (the largest are 14 hours), so these lie before and after
    // whatever happens around the local time.
    let before = offset(local - 86_400)
    let after = offset(local + 86_400)
    let early = local - max(before, after)
    let late = local - min(before, after)
    if early + offset(early) == local { return early }
    if late + offset(late) == local { return late }
    guard early < late else { return early }
    // The offset changes in between: the first second that has the later one.
    var low = early
    var high = late
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if offset(middle) == offset(early) { low = middle } else { high = middle }
    }
    return offset(low) == offset(early) ? high : low
  }
}

/// A day of the Gregorian calendar.
private struct CivilDate {
  var year: Int64
  var month: Int
  var day: Int
  /// 1 for Monday to 7 for Sunday.
  var weekday: Int

  /// The date of a day counted from 1970-01-01: `civil_from_days` of Howard Hinnant's
  /// "chrono-Compatible Low-Level Date Algorithms".
  init(day number: Int64) {
    let shifted = number + 719_468
    let era = shifted.dividedDown(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    // 1970-01-01 was a Thursday.
    let sinceMonday = (number + 3) % 7
    weekday = Int(sinceMonday < 0 ? sinceMonday + 7 : sinceMonday) + 1
  }

  var isLastOfMonth: Bool {
    switch month {
    case 2: day == (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28)
    case 4, 6, 9, 11: day == 30
    default: day == 31
    }
  }
}

extension Int64 {
  /// Division that rounds down, also below zero.
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let rest = self % divisor
    return (self - (rest < 0 ? rest + divisor : rest)) / divisor
  }
}

/// What happens when a time comes while the task of the time before is not over.
public enum Overlap: UInt8, Hashable, Sendable, CaseIterable {
  /// The new one is left out.
  case skip = 0
  /// The new one waits for the old one; a second one that would wait is left out.
  case queueOne = 1
  /// The old one is cancelled.
  case cancelRunning = 2
  /// Both run.
  case allow = 3
}

/// What happens to the times that passed while nothing could run.
public enum CatchUp: Hashable, Sendable {
  /// Nothing.
  case skip
  /// The latest of them is made up for.
  case latest
  /// They are made up for, at most so many of the latest.
  case all(most: Int)

  /// How many of the times that have passed are made up for.
  public var most: Int {
    switch self {
    case .skip: 0
    case .latest: 1
    case .all(let most): max(0, most)
    }
  }
}

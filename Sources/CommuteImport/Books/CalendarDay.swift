/// A day of the Gregorian calendar between 1900 and 2100.
///
/// Nobody's list of books tells of other days: what lies outside is a slip of the pen.
struct CalendarDay: Hashable, Sendable {
  /// Why some text is no such day.
  enum Problem: Error, Hashable, Sendable {
    /// Not of the form `YYYY/MM/DD`.
    case notADay
    /// Of that form, but the month or the day does not exist.
    case noSuchDay
    /// A day, but of another time.
    case outOfRange
  }

  static let years = 1900...2100

  let year: Int
  let month: Int
  let day: Int

  /// Reads exactly `YYYY/MM/DD`.
  init(_ text: ArraySlice<UInt8>) throws(Problem) {
    guard text.count == 10, let year = Self.number(text.prefix(4)),
      let month = Self.number(text.dropFirst(5).prefix(2)), let day = Self.number(text.suffix(2)),
      text[text.startIndex + 4] == UInt8(ascii: "/"), text[text.startIndex + 7] == UInt8(ascii: "/")
    else { throw .notADay }
    guard month >= 1, month <= 12, day >= 1, day <= Self.length(ofMonth: month, year: year) else {
      throw .noSuchDay
    }
    guard Self.years.contains(year) else { throw .outOfRange }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day in which the moment lies, in UTC; nil if it lies outside the years.
  init?(milliseconds: Int64) {
    let perDay: Int64 = 86_400_000
    let days = milliseconds / perDay - (milliseconds % perDay < 0 ? 1 : 0)
    // From 1900-01-01 to 2100-12-31.
    guard days >= -25_567, days <= 47_846 else { return nil }
    var left = Int(days) + 25_567
    var year = Self.years.lowerBound
    while left >= Self.length(ofYear: year) {
      left -= Self.length(ofYear: year)
      year += 1
    }
    var month = 1
    while left >= Self.length(ofMonth: month, year: year) {
      left -= Self.length(ofMonth: month, year: year)
      month += 1
    }
    self.year = year
    self.month = month
    day = left + 1
  }

  /// Milliseconds since 1970 of the day's midnight in UTC.
  var milliseconds: Int64 {
    var days = day - 1 - 25_567
    for earlier in Self.years.lowerBound..<year { days += Self.length(ofYear: earlier) }
    for earlier in 1..<month { days += Self.length(ofMonth: earlier, year: year) }
    return Int64(days) * 86_400_000
  }

  /// The day as `YYYY/MM/DD`.
  var text: String { "\(year)/\(month < 10 ? "0" : "")\(month)/\(day < 10 ? "0" : "")\(day)" }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for byte in digits {
      guard let digit = byte.digitValue else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func length(ofYear year: Int) -> Int { isLeap(year) ? 366 : 365 }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

import Foundation
import Testing

@testable import CommuteImport

@Suite struct CalendarDayTests {
  private func problem(_ text: String) -> CalendarDay.Problem? {
    do throws(CalendarDay.Problem) {
      _ = try CalendarDay(Array(text.utf8)[...])
      return nil
    } catch {
      return error
    }
  }

  @Test func `every day from 1900 to 2100 is the day that Foundation says it is`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    var milliseconds = Int64(-2_208_988_800_000)
    var count = 0
    while let day = CalendarDay(milliseconds: milliseconds) {
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let isSame = parts.year == day.year && parts.month == day.month && parts.day == day.day
      let again = try CalendarDay(Array(day.text.utf8)[...])
      if !isSame || again != day || day.milliseconds != milliseconds { Issue.record("\(day.text)") }
      milliseconds += 86_400_000
      count += 1
    }
    #expect(count == 73_414)
    #expect(CalendarDay(milliseconds: milliseconds - 1)?.text == "2100/12/31")
    #expect(CalendarDay(milliseconds: -2_208_988_800_001) == nil)
  }

  @Test func `any moment of a day, before 1970 too, belongs to it`() {
    #expect(CalendarDay(milliseconds: -1)?.text == "1969/12/31")
    #expect(CalendarDay(milliseconds: 0)?.text == "1970/01/01")
    #expect(CalendarDay(milliseconds: 86_399_999)?.text == "1970/01/01")
    #expect(CalendarDay(milliseconds: .min) == nil)
    #expect(CalendarDay(milliseconds: .max) == nil)
  }

  @Test func `only the form YYYY MM DD with slashes is a day`() {
    for text in [
      "", "2020", "2020-02-29", "2020/2/29", "20/02/2020", "2020/02/291", "2020/02/2x",
      "+020/02/20", "2020/-1/01", "2020/02 29", "２０２０/02/29", "/2020/02/2", "2020//2/29",
    ] {
      #expect(problem(text) == .notADay, "\(text)")
    }
  }

  @Test func `months and days that do not exist are told apart from wrong forms`() {
    for text in [
      "2021/02/29", "1900/02/29", "2100/02/29", "2020/00/01", "2020/13/01", "2020/01/00",
      "2020/04/31", "2020/01/32", "0000/00/00",
    ] {
      #expect(problem(text) == .noSuchDay, "\(text)")
    }
    #expect(problem("2000/02/29") == nil)
    #expect(problem("2020/02/29") == nil)
  }

  @Test func `days of other times are refused`() {
    #expect(problem("1899/12/31") == .outOfRange)
    #expect(problem("2101/01/01") == .outOfRange)
    #expect(problem("0001/01/01") == .outOfRange)
  }
}

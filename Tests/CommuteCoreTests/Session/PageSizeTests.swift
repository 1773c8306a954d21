import CommuteCore
import Testing

@Suite struct PageSizeTests {
  private var page = PageSize()

  @Test mutating func `pages stay short where storing fills the wait`() {
    for _ in 0..<10 { page.note(waited: 3, stored: 2) }
    page.note(waited: 100, stored: 90)
    #expect(page.bytes == PageSize.least)
  }

  @Test mutating func `a long way doubles them up to what a server sends`() {
    page.note(waited: 100, stored: 2)
    #expect(page.bytes == PageSize.least * 2)
    for _ in 0..<10 { page.note(waited: 100, stored: 2) }
    #expect(page.bytes == PageSize.greatest)
    #expect(PageSize.greatest == UInt64(Limits.pageBytes))
  }

  @Test mutating func `times that no clock gives change nothing`() {
    page.note(waited: .min, stored: .max)
    page.note(waited: .min, stored: 0)
    #expect(page.bytes == PageSize.least)
    page.note(waited: .max, stored: -1)
    page.note(waited: .max, stored: 0)
    #expect(page.bytes == PageSize.least * 2)
  }
}

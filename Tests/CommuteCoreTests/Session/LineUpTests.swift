import CommuteCore
import Testing

@Suite struct LineUpTests {
  static func place(
    _ number: UInt64, needs: UInt64..., creates: Bool = true, isReady: Bool = true
  ) -> LineUp.Place {
    LineUp.Place(
      key: key(number), creates: creates, needs: needs.map { key($0) }, isReady: isReady)
  }

  static func key(_ number: UInt64) -> RecordKey {
    RecordKey(table: "book", id: RecordID(high: 0, low: number))
  }

  @Test func `the first that are ready go, in line order`() {
    let line = [
      Self.place(1), Self.place(2, isReady: false), Self.place(3), Self.place(4), Self.place(5),
    ]
    #expect(LineUp.chosen(from: line, batch: 3) == [0, 2, 3])
    #expect(LineUp.chosen(from: line, batch: 0).isEmpty)
    #expect(LineUp.chosen(from: [], batch: 3).isEmpty)
  }

  @Test func `where there is no room nothing goes, also where rows need each other`() {
    let line = [Self.place(1, needs: 2), Self.place(2)]
    #expect(LineUp.chosen(from: line, batch: 0).isEmpty)
    #expect(LineUp.chosen(from: line, batch: 1, offers: 3).isEmpty)
    #expect(LineUp.chosen(from: [Self.place(1)], batch: 1, offers: 3).isEmpty)
  }

  @Test func `what a row needs goes with it, also from the end of the line`() {
    let line = [Self.place(1, needs: 9), Self.place(2), Self.place(3), Self.place(9, needs: 1)]
    #expect(LineUp.chosen(from: line, batch: 3) == [0, 1, 3])
  }

  @Test func `a row whose need cannot go stays, and the others go`() {
    let line = [Self.place(1, needs: 2), Self.place(2, isReady: false), Self.place(3, needs: 1)]
    #expect(LineUp.chosen(from: line, batch: 3).isEmpty)
    let more = line + [Self.place(4)]
    #expect(LineUp.chosen(from: more, batch: 3) == [3])
  }

  @Test func `what is not to be made here holds nothing up`() {
    let line = [Self.place(1, needs: 7), Self.place(7, creates: false, isReady: false)]
    #expect(LineUp.chosen(from: line, batch: 3) == [0])
  }

  @Test func `rows that need each other are not parted, however few are asked for`() {
    let line = [Self.place(1, needs: 2), Self.place(2, needs: 3), Self.place(3, needs: 1)]
    #expect(LineUp.chosen(from: line, batch: 1) == [0, 1, 2])
    let behind = [Self.place(9)] + line
    #expect(LineUp.chosen(from: behind, batch: 3) == [0])
    #expect(LineUp.chosen(from: behind, batch: 4) == [0, 1, 2, 3])
    #expect(LineUp.chosen(from: line, batch: 3, offers: 1).isEmpty)
    #expect(LineUp.chosen(from: behind, batch: 3, offers: 3).isEmpty)
  }
}

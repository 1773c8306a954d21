import CommuteCore
import Testing

@testable import SQLiteSimulator

/// The judge merges nothing; each of its promises can be broken.
@Suite struct JudgeTests {
  var ledger = Ledger()

  private func edit(_ number: Int, _ stock: Stock?, parent: Int = 0, bit: Int? = nil) -> Edit {
    var edit = Edit(number: number, record: 0, stock: stock)
    edit.parent = parent
    edit.bit = bit
    return edit
  }

  private func standing(_ values: [Stock: FieldValue]) -> Standing {
    let blank: [Stock: FieldValue] = [.copies: .integer(0), .tags: .list([]), .note: .text("")]
    return Standing(
      isThere: true, isGone: false, values: blank.merging(values) { $1 }, siblings: [])
  }

  /// A book of which one field matters: the others hold what was written once and stands.
  private mutating func judged(_ values: [Stock: FieldValue], also edits: [Edit] = []) -> Breach? {
    let rest = [edit(900, .title), edit(901, .author), edit(905, .best)]
    ledger.wrote(rest + edits, device: 0, commit: 1)
    for edit in rest { ledger.took(edit.number) }
    let usual: [Stock: FieldValue] = [
      .title: .text("v900"), .author: .text("v901"), .best: .integer(100_905),
    ]
    return Judge(ledger: ledger).judge(0, standing(usual.merging(values) { $1 }))
  }

  @Test mutating func `what stands as it was written breaks nothing`() {
    #expect(judged([:]) == nil)
  }

  @Test mutating func `an edit that was kept and never came is lost`() {
    let breach = judged([:], also: [edit(13, .copies, bit: 0)])
    #expect(breach?.promise == .lost)
  }

  @Test mutating func `an edit that may be gone need not have come`() {
    ledger.wrote([edit(13, .copies, bit: 0)], device: 0, commit: 2, fate: .open)
    #expect(judged([:]) == nil)
  }

  @Test mutating func `a count that came must be in the sum`() {
    ledger.wrote([edit(13, .copies, bit: 0)], device: 0, commit: 2)
    ledger.took(13)
    #expect(judged([.copies: .integer(0)])?.promise == .lost)
    #expect(judged([.copies: .integer(1)]) == nil)
  }

  @Test mutating func `a count that comes twice is seen`() {
    ledger.wrote([edit(13, .copies, bit: 0)], device: 0, commit: 2)
    ledger.took(13)
    #expect(judged([.copies: .integer(3)])?.promise == .doubled)
    #expect(judged([.copies: .integer(2)])?.promise == .lost)
  }

  @Test mutating func `a value that nobody wrote is invented`() {
    #expect(judged([.title: .text("v10")])?.promise == .invented)
  }

  @Test mutating func `a refused value that was let go must not stand`() {
    ledger.wrote([edit(10, .title)], device: 0, commit: 2)
    ledger.withdrew(10, device: 0)
    #expect(judged([.title: .text("bad10")])?.promise == .invented)
  }

  @Test mutating func `a value must not lose to one that its writer had seen`() {
    ledger.wrote([edit(910, .title, parent: 900)], device: 1, commit: 1)
    ledger.took(910)
    #expect(judged([:])?.promise == .overwritten)
    #expect(judged([.title: .text("v910")]) == nil)
  }

  @Test mutating func `a word goes only where somebody took it out`() {
    ledger.wrote([edit(12, .note)], device: 0, commit: 2)
    ledger.took(12)
    #expect(judged([.note: .text("v12")]) == nil)
    #expect(judged([.note: .text("")])?.promise == .lost)
    var removal = edit(22, .note)
    removal.removed = [12]
    ledger.wrote([removal], device: 1, commit: 1)
    ledger.took(22)
    #expect(judged([.note: .text("v22")]) == nil)
  }

  @Test mutating func `a text that was mended went over what was shown`() {
    ledger.wrote([edit(12, .note), edit(22, .note)], device: 0, commit: 2)
    ledger.took(12)
    ledger.took(22)
    #expect(judged([.note: .text("v22")])?.promise == .lost)
    ledger.rewrote([22])
    #expect(judged([.note: .text("v22")]) == nil)
    #expect(judged([.note: .text("v22 v32")])?.promise == .invented)
  }

  @Test mutating func `a mended value that is not the greatest need not come`() {
    ledger.wrote([edit(15, .best)], device: 1, commit: 1)
    #expect(judged([:])?.promise == .lost)
    ledger.rewrote([15])
    #expect(judged([:]) == nil)
  }

  @Test mutating func `an operation does not bring the words that it was made of`() {
    ledger.wrote([edit(12, .note), edit(22, .note)], device: 0, commit: 2)
    let stamp = Stamp(milliseconds: 1, counter: 0, replica: ReplicaID(rawValue: 1))
    var field = OperationField(value: .text("v12 v22"), stamp: stamp)
    let id = OperationID(high: 1, low: 1)
    func brought(_ field: OperationField) -> [Int] {
      let operation = Operation(
        id: id, schema: 1, replica: stamp.replica, key: Shelf.key(0), feed: "library",
        fields: FieldMap([(Key("note"), field)]))
      return ledger.numbers(in: operation)
    }
    #expect(brought(field) == [12, 22])
    field.base = .text("v12")
    #expect(brought(field) == [22])
  }

  @Test mutating func `a record goes only where somebody deleted it`() {
    let gone = Standing(isThere: true, isGone: true, values: [:], siblings: [])
    #expect(Judge(ledger: ledger).judge(0, gone)?.promise == .lost)
    ledger.wrote([edit(50, nil)], device: 0, commit: 1)
    #expect(Judge(ledger: ledger).judge(0, gone) == nil)
    #expect(judged([:])?.promise == .lost)
  }
}

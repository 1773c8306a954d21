import CommuteImport
import Testing

@Suite struct CSVWriterTests {
  private func text(_ records: [[String]]) -> String {
    var writer = CSVWriter()
    for record in records {
      for cell in record { writer.append(cell) }
      writer.endRecord()
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `cells are quoted only where they must be`() {
    #expect(text([["a", "b c", "é", ""]]) == "a,b c,é,\n")
    #expect(
      text([["a,b", "c\"d", "e\nf", "g\rh", " i", "j "]])
        == "\"a,b\",\"c\"\"d\",\"e\nf\",\"g\rh\",\" i\",\"j \"\n")
  }

  @Test func `a record of one empty cell is not a blank line`() {
    #expect(text([[""], ["a"], [""], []]) == "\"\"\na\n\"\"\n\"\"\n")
  }

  @Test func `a verbatim cell keeps its quotes unless it would break the record`() {
    var writer = CSVWriter()
    for cell in ["=\"1\"", "=\"1,2\"", "\"1\"", "=\"1\n2\""] { writer.append(verbatim: cell) }
    writer.endRecord()
    let expected = "=\"1\",\"=\"\"1,2\"\"\",\"\"\"1\"\"\",\"=\"\"1\n2\"\"\"\n"
    #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
  }

  @Test func `a NUL becomes the replacement character`() {
    #expect(text([["a\0b"]]) == "\"a\u{FFFD}b\"\n")
  }

  @Test func `any table comes back as it was`() throws {
    let pieces = ["a", ",", "\"", "\n", "\r", "\r\n", " ", "é", "😀", "=", "'"]
    var dice = Dice(seed: 7)
    for _ in 0..<2_000 {
      var table: [[String]] = []
      for _ in 0..<(1 + dice.roll(3)) {
        table.append(
          (0..<(1 + dice.roll(4))).map { _ in
            (0..<dice.roll(5)).map { _ in dice.pick(pieces) }.joined()
          })
      }
      var reader = CSVReader(Array(text(table).utf8))
      var again: [[String]] = []
      while let record = try reader.next() { again.append(record.cells.map(\.text)) }
      #expect(again == table, "seed 7")
    }
  }
}

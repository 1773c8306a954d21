import Testing

@testable import CommuteImport

@Suite struct CSVReaderTests {
  /// All records as texts; a record that is refused becomes the one text `!`.
  private func rows(of text: String) -> [[String]] { rows(of: Array(text.utf8)) }

  private func rows(of bytes: [UInt8]) -> [[String]] {
    var reader = CSVReader(bytes)
    var rows: [[String]] = []
    while true {
      do throws(CSVError) {
        guard let record = try reader.next() else { return rows }
        rows.append(record.cells.map(\.text))
      } catch {
        rows.append(["!"])
      }
    }
  }

  private func error(in bytes: [UInt8], limits: CSVReader.Limits = .init()) -> CSVError? {
    var reader = CSVReader(bytes, limits: limits)
    do throws(CSVError) {
      while try reader.next() != nil {}
      return nil
    } catch {
      return error
    }
  }

  private func error(in text: String, limits: CSVReader.Limits = .init()) -> CSVError? {
    error(in: Array(text.utf8), limits: limits)
  }

  @Test func `commas part cells and every kind of line end parts records`() {
    #expect(
      rows(of: "a,b\nc,d\r\ne,f\rg,h") == [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]])
  }

  @Test func `empty cells are cells, at the ends too`() {
    #expect(rows(of: ",a,,\n,\n\"\"\n,") == [["", "a", "", ""], ["", ""], [""], ["", ""]])
  }

  @Test func `lines without a byte are no records`() {
    #expect(rows(of: "\n\r\n\ra\n\n\n\nb\r\r\n") == [["a"], ["b"]])
    #expect(rows(of: "") == [])
    #expect(rows(of: "\n") == [])
  }

  @Test func `quotes protect commas, line ends and doubled quotes`() {
    #expect(
      rows(of: "\"a,b\",\"c\r\nd\ne\rf\",\"g\"\"h\"\"\"\"\"\n")
        == [["a,b", "c\r\nd\ne\rf", "g\"h\"\""]])
  }

  @Test func `blanks around a cell belong to it`() {
    #expect(rows(of: " a , \"b\" ,\" c \"") == [[" a ", " \"b\" ", " c "]])
  }

  @Test func `a quote within a plain cell is text`() {
    #expect(rows(of: "=\"0141439513\",a\"b\"\"c") == [["=\"0141439513\"", "a\"b\"\"c"]])
  }

  @Test func `text behind a closing quote is kept and marked`() throws {
    var reader = CSVReader(Array("\"a\"b\"c,\"d\" ,\"e\"\n".utf8))
    let record = try #require(try reader.next())
    #expect(record.cells.map(\.text) == ["ab\"c", "d ", "e"])
    #expect(record.cells.map(\.hasStrayQuote) == [true, true, false])
  }

  @Test func `a byte order mark at the start is passed over, elsewhere it is text`() {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(rows(of: mark + Array("a".utf8) + mark) == [["a\u{FEFF}"]])
    #expect(rows(of: mark + Array("\"a,b\"".utf8)) == [["a,b"]])
  }

  @Test func `records and cells know the lines on which they stand`() throws {
    var reader = CSVReader(Array("a\r\n\r\nb,\"c\r\rd\",\"e\nf\"\ng".utf8))
    _ = try reader.next()
    let record = try #require(try reader.next())
    #expect(record.line == 3)
    #expect(record.lastLine == 6)
    #expect(record.cells.map(\.line) == [3, 3, 5])
    let last = try #require(try reader.next())
    #expect(last.line == 7)
    #expect(last.lastLine == 7)
  }

  @Test func `a quote that is never closed is told by the line it stands on`() {
    let expected = CSVError(line: 3, column: 1, problem: .unterminatedQuote(lastLine: 5))
    #expect(error(in: "a\n\nb,\"c\nd\ne") == expected)
    #expect(error(in: "a\n\nb,\"c\nd\ne\n") == expected)
    #expect(error(in: "\"")?.problem == .unterminatedQuote(lastLine: 1))
    #expect(rows(of: "a\n\"b\"\"") == [["a"], ["!"]])
  }

  @Test func `the open quote outweighs what else is wrong in its record`() {
    let bytes = Array("\"a".utf8) + [0xFF, 0x0A]
    #expect(error(in: bytes)?.problem == .unterminatedQuote(lastLine: 1))
  }

  @Test func `a record with bytes that are no text is refused alone`() {
    let bytes = Array("a,b\nc,\"d\n".utf8) + [0xE9] + Array("\",e\nf,g".utf8)
    #expect(rows(of: bytes) == [["a", "b"], ["!"], ["f", "g"]])
    #expect(error(in: bytes) == CSVError(line: 3, column: 1, problem: .notUTF8(byte: 0xE9)))
  }

  @Test func `a record with a NUL is refused alone`() {
    #expect(rows(of: "a\nb\0\nc") == [["a"], ["!"], ["c"]])
    #expect(error(in: "a,\0") == CSVError(line: 1, column: 1, problem: .nul))
  }

  @Test func `a cell beyond the limit is refused with its record, one at the limit is taken`() {
    let limits = CSVReader.Limits(cellBytes: 3, cells: 2)
    #expect(error(in: "abc,\"d\"\"\"\"\"\n", limits: limits) == nil)
    let expected = CSVError(line: 2, column: 1, problem: .cellTooLong(limit: 3))
    #expect(error(in: "a\nb,\"cd\nef\"", limits: limits) == expected)
  }

  @Test func `a record with too many cells is refused, however many there are`() {
    let limits = CSVReader.Limits(cellBytes: 3, cells: 2)
    #expect(error(in: "a,b", limits: limits) == nil)
    let expected = CSVError(line: 1, column: 2, problem: .tooManyCells(limit: 2))
    #expect(error(in: "a,b,c,d,e", limits: limits) == expected)
  }

  @Test func `what a cell holds counts, not how it was written`() throws {
    var one = CSVReader(Array("ab".utf8))
    var other = CSVReader(Array("\"ab\"".utf8))
    let first = try one.next()
    let second = try other.next()
    #expect(first == second)
  }
}

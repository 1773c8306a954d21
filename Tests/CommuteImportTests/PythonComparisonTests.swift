import CommuteImport
import Foundation
import Testing

/// Python's csv module, a second program that owes nothing to ours, reads the same files.
@Suite struct PythonComparisonTests {
  private static let script = DataFile("read-with-python.py").url.path

  /// The cells of every record, one character a byte; nil for a record that is refused.
  private func rows(of bytes: [UInt8]) -> [[String]?] {
    var reader = CSVReader(bytes)
    var rows: [[String]?] = []
    while true {
      do throws(CSVError) {
        guard let record = try reader.next() else { return rows }
        rows.append(record.cells.map { Self.characters($0.bytes) })
      } catch {
        rows.append(nil)
      }
    }
  }

  private static func characters(_ bytes: ArraySlice<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private func rowsInPython(of paths: [String]) throws -> [[[String]]] {
    let output = try TemporaryFolder.python([Self.script, "cells"] + paths)
    return try #require(JSONSerialization.jsonObject(with: output) as? [[[String]]])
  }

  private func compare(_ ours: [[String]?], _ theirs: [[String]], _ name: String) {
    #expect(ours.count == theirs.count, "\(name)")
    for (number, (our, their)) in zip(ours, theirs).enumerated() {
      guard let our else { continue }
      let isSame = our.elementsEqual(their) { $0.utf8.elementsEqual($1.utf8) }
      if !isSame { Issue.record("\(name), record \(number): \(our) here, \(their) in Python") }
    }
  }

  @Test func `sample and hostile file have the cells that Python sees`() throws {
    let files = [DataFile("reading-list.csv"), DataFile("hostile.csv")]
    let theirs = try rowsInPython(of: files.map(\.url.path))
    for (file, rows) in zip(files, theirs) {
      compare(self.rows(of: try file.bytes), rows, file.url.lastPathComponent)
    }
  }

  @Test func `spoilt files have the cells that Python sees`() throws {
    let folder = try TemporaryFolder()
    let file = try DataFile("hostile.csv").bytes
    var dice = Dice(seed: MutationTests.seed &+ 2)
    var pieces: [[UInt8]] = []
    var paths: [String] = []
    for number in 0..<1_000 {
      // Python before 3.11 gives up at a NUL.
      let piece = MutatedFile.piece(of: file, using: &dice).filter { $0 != 0 }
      let url = folder.url.appending(path: "\(number).csv")
      try Data(piece).write(to: url)
      pieces.append(piece)
      paths.append(url.path)
    }
    let theirs = try rowsInPython(of: paths)
    for (number, piece) in pieces.enumerated() {
      compare(rows(of: piece), theirs[number], "SEED=\(MutationTests.seed), file \(number)")
    }
  }

  @Test func `Python finds the same identities in the sample by their definition alone`() throws {
    let sample = DataFile("reading-list.csv")
    let output = try TemporaryFolder.python([Self.script, "identities", sample.url.path])
    let theirs = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    let books = try GoodreadsReader.readAll(sample.bytes).books
    let ours = books.map { book in
      book.identityBytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    #expect(ours == theirs)
  }
}

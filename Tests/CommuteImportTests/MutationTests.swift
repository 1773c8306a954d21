import CommuteImport
import Foundation
import Testing

/// Thousands of spoilt files; `SEED=17` spoils them otherwise, and every message names the seed.
@Suite struct MutationTests {
  static let seed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? 20_260_101

  @Test func `no spoilt file makes the reader trap or say what is not so`() throws {
    let file = try DataFile("hostile.csv").bytes
    var dice = Dice(seed: Self.seed)
    var taken = 0
    var refused = 0
    for round in 0..<20_000 {
      let isWhole = round % 400 == 0
      let bytes =
        isWhole ? MutatedFile.whole(file, using: &dice) : MutatedFile.piece(of: file, using: &dice)
      do throws(ImportError) {
        let (books, report) = try GoodreadsReader.readAll(bytes)
        taken += books.count
        if let fault = Self.fault(in: books, report) {
          Issue.record("SEED=\(Self.seed), round \(round): \(fault)")
          return
        }
      } catch {
        refused += 1
        #expect(Self.isHarmless(error.description))
      }
    }
    // The mutations neither leave the files whole nor spoil all of them.
    let isMixed = taken > 5_000 && refused > 100
    #expect(isMixed, "SEED=\(Self.seed): \(taken) books, \(refused) files refused")
  }

  @Test func `whatever was taken from a spoilt file is written and read back`() throws {
    let file = try DataFile("hostile.csv").bytes
    var dice = Dice(seed: Self.seed &+ 1)
    for round in 0..<2_000 {
      let bytes = MutatedFile.piece(of: file, using: &dice)
      guard let (books, _) = try? GoodreadsReader.readAll(bytes) else { continue }
      let (again, report) = try GoodreadsReader.readAll(GoodreadsWriter.file(of: books))
      guard again == books, report.notes.isEmpty else {
        let changed = zip(books, again).first { $0 != $1 }
        Issue.record("SEED=\(Self.seed), round \(round): \(report.lines), \(changed as Any)")
        return
      }
    }
  }

  /// What is wrong with what the reader says; nil if nothing is.
  private static func fault(in books: [ImportedBook], _ report: ImportReport) -> String? {
    if report.taken != books.count { return "\(report.taken) counted, \(books.count) taken" }
    if report.rows != report.taken + report.leftOut + report.repeated { return "rows lost" }
    let rowNotes = report.notes.count { $0.loss == .row || $0.loss == .repetition }
    if rowNotes != report.leftOut + report.repeated { return "rows left out without a word" }
    if let line = report.lines.first(where: { !isHarmless($0) }) { return "raw control: \(line)" }
    let identities = Set(books.map { $0.recordID ?? $0.identityBytes })
    if identities.count != books.count { return "one book twice" }
    if zip(books, books.dropFirst()).contains(where: { $0.line >= $1.line }) { return "lines" }
    for book in books {
      if let fault = fault(in: book) { return "line \(book.line): \(fault)" }
    }
    return nil
  }

  private static func fault(in book: ImportedBook) -> String? {
    let blanks: [UInt8] = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20]
    if book.title.utf8.allSatisfy(blanks.contains) { return "title" }
    if let rating = book.rating, !(1...5).contains(rating) { return "rating \(rating)" }
    if let isbn = book.isbn13, isbn.utf8.count != 13 { return "isbn \(isbn)" }
    if let moment = book.readAt, moment % 86_400_000 != 0 { return "moment \(moment)" }
    if book.recordID.map({ $0.count != 16 }) ?? false { return "id" }
    if book.tags.count > 100 || book.tags.contains("read") { return "tags" }
    if book.tags.contains(where: { $0.utf8.contains(0x2C) }) { return "comma in a tag" }
    let texts = [book.title, book.author, book.notes] + book.tags
    if texts.contains(where: { $0.utf8.contains(0) }) { return "NUL" }
    return book.notes.utf8.contains(0x0D) ? "carriage return" : nil
  }

  /// Whether a line can be printed on a terminal.
  private static func isHarmless(_ line: String) -> Bool {
    line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }
}

import CommuteCore
import Foundation
import Testing

@Suite struct GoldenTests {
  /// The hash of all golden messages; it changes only together with the protocol's version.
  static let fingerprint =
    "f8ca714214d73ba1872e1f5115b24fc512e8251b82511ccf067219715737958e"

  @Test func `the bytes of every message are those of this version`() {
    let messages = [
      FullMessages.record.encodedJSON(), FullMessages.operation.encoded(),
      FullMessages.request.encoded(), FullMessages.answer.encoded(),
    ]
    let hash = SHA256.hash(Array(messages.joined(separator: [0x0A]))).text
    #expect(
      hash == Self.fingerprint,
      "raise ProtocolVersion and add a line to its history in Documentation/Protocol.md")
  }

  @Test func `the page's history ends with the version of this build`() throws {
    let page = try String(
      contentsOf: VectorTests.root.appending(path: "Documentation/Protocol.md"), encoding: .utf8)
    let history = page.components(separatedBy: "**History of the version**").last ?? ""
    let rows = history.components(separatedBy: "\n").drop { !$0.hasPrefix("| 1 ") }
      .prefix { $0.hasPrefix("|") }
    #expect(rows.count == ProtocolVersion.current)
    #expect(rows.last?.hasPrefix("| \(ProtocolVersion.current) |") == true)
    #expect(page.hasPrefix("# The protocol, version \(ProtocolVersion.current)\n"))
  }

  @Test func `a book of eight fields stamped at one moment takes at most 420 bytes`() {
    let values: [(Key, FieldValue)] = [
      ("author", .text("Jane Austen")), ("isbn13", .text("9780141439518")),
      ("notes", .text("Read aloud with M.; the second half is better.")),
      ("rating", .integer(5)), ("read", .boolean(true)), ("readAt", .instant(1_700_000_000_000)),
      ("tags", .list(["classics", "romance"])), ("title", .text("Pride and Prejudice")),
    ]
    let fields = FieldMap(
      values.map { ($0.0, FieldState(value: $0.1, stamp: FullMessages.stamp)) })
    let book = RecordMessage(
      key: RecordKey(table: "book", id: FullMessages.id),
      state: RecordState(revision: FullMessages.revision, author: "local", fields: fields))
    let alone = SyncAnswer(
      epoch: FullMessages.epoch, time: 0, nonce: Nonce(high: 0, low: 0),
      feeds: [SyncAnswer.Feed(feed: "books", grant: 1, cursor: 1, records: [book])])
    var pair = alone
    pair.feeds[0].records.append(book)
    // What one more book adds to a page, its comma included.
    let bytes = pair.encoded().count - alone.encoded().count
    #expect(bytes <= 420)
    #expect(bytes == book.encodedJSON().count + 1)
  }
}

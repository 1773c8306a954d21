import CommuteCore
import CommuteTestKit
import Testing

@Suite struct WebCallTests {
  private var page = CalledPage()

  @Test mutating func `a book that is added waits in line and is shown`() throws {
    let added = page.call(
      #""call":"edit","action":"create","table":"book","feed":"books","#
        + #""edits":{"title":{"set":"Emma"}}"#, "null")
    #expect(added.header.contains(#""isChanged":true"#))
    #expect(added.pieces[1].contains(#""fields":{"title":"Emma"},"changed":["title"]"#))
    #expect(added.pieces[1].contains(#""line":1"#))
  }

  @Test mutating func `what a round marked is settled by its answer`() throws {
    let added = page.add("Emma")
    let begun = page.call(#""call":"begin","batch":500,"build":"b","device":"d""#, added)
    let request = try SyncRequest(decoding: Array(begun.pieces[2].utf8))
    let operation = try #require(request.operations.first?.operation)
    let marked = begun.pieces[0]
    #expect(marked.contains(#""isInFlight":true"#))
    var answer = SyncAnswer(epoch: Epoch(rawValue: 7), time: 5_000, nonce: request.nonce)
    let revision = Revision(epoch: Epoch(rawValue: 7), number: 1)
    answer.verdicts = [Verdict(id: operation.id, kind: .applied, revision: revision)]
    let told = String(decoding: answer.encoded(), as: UTF8.self)
    let applied = page.call(#""call":"apply","roundTrip":4"#, told, marked)
    #expect(applied.header.contains(#""reading":"apply","settled":1"#))
    #expect(!applied.pieces[0].contains("rows"))
    #expect(!applied.pieces[1].contains("line"))
  }

  @Test mutating func `bytes in flight are sent again unchanged`() throws {
    let marked = page.call(
      #""call":"begin","batch":500,"build":"b","device":"d""#, page.add("Emma"))
    let first = try SyncRequest(decoding: Array(marked.pieces[2].utf8))
    let left = page.call(
      #""call":"abandon","round":["\#(first.operations[0].operation.id.text)"]"#,
      marked.pieces[0])
    let again = page.call(
      #""call":"begin","batch":500,"build":"b","device":"d""#, left.pieces[0])
    let second = try SyncRequest(decoding: Array(again.pieces[2].utf8))
    #expect(first.operations[0].bytes == second.operations[0].bytes)
    #expect(second.again == [second.operations[0].operation.id])
  }

  @Test mutating func `a deletion that has not left is taken back`() {
    let deleted = page.call(#""call":"edit","action":"delete","table":"book""#, page.told)
    #expect(deleted.pieces[1].contains(#""isGone":true"#))
    let back = page.call(
      #""call":"edit","action":"withdraw","table":"book""#, deleted.pieces[0])
    #expect(back.header.contains(#""isChanged":true"#))
    #expect(back.pieces[1].contains(#""title":"Emma""#))
  }

  @Test mutating func `values of another kind are refused by name`() {
    let refused = page.call(
      #""call":"edit","action":"create","table":"book","feed":"books","#
        + #""edits":{"title":{"set":true}}"#, "null")
    #expect(refused.header.contains(#"{"refused":"kind","message":"book.title"#))
  }

  @Test mutating func `a conversation goes on from where it was written down`() {
    let failed = page.converse(
      #""event":"failed","failure":{"kind":"unreachable"}"#,
      #"{"state":"exchanging","failures":0,"batch":500}"#)
    #expect(failed.pieces[0].contains(#""state":"waiting""#))
    #expect(failed.header.contains(#"{"do":"retry","at":"#))
    let due = page.converse(#""event":"retryDue""#, failed.pieces[0])
    #expect(due.header.contains(#""effects":[{"do":"exchange","batch":500}]"#))
  }

  @Test mutating func `the same call gives the same bytes`() {
    let input = page.input(#""call":"edit","action":"delete","table":"book""#, page.told)
    #expect(WebCall.answer(input) == WebCall.answer(input))
  }

  @Test mutating func `no bytes make a call trap`() {
    var random = SeededGenerator(seed: 17)
    let input = page.input(#""call":"begin","batch":2,"build":"b""#, page.add("Emma"))
    for _ in 0..<4_000 {
      var bytes = input
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = .random(in: 0...255, using: &random)
      }
      #expect(!WebCall.answer(bytes).isEmpty)
    }
  }
}

/// What a page holds between calls: the device's state, and a time that goes on.
private struct CalledPage {
  private var device = ""
  private var wall = 1_700_000_000_000
  /// A book as the server told it.
  let told = """
    {"table":"book","id":"018bcfe5-6800-7000-8000-000000000001","feed":"books","base":{"id":\
    "018bcfe5-6800-7000-8000-000000000001","table":"book","revision":["0000000000000007",3],\
    "stamps":{"018bcfe56800-0000-00000000000000a1":"*"},"fields":{"title":"Emma"}}}
    """

  init() {
    device = "null"
    device = call(#""call":"open","owner":"local/ada","feed":"books""#).pieces[0]
  }

  /// An answer, taken apart.
  struct Answer {
    var pieces: [String]
    var header: String
  }

  /// The bytes of a call on the device and other pieces.
  mutating func input(_ members: String, _ pieces: String...) -> [UInt8] {
    input(members, pieces, on: device)
  }

  private mutating func input(_ members: String, _ pieces: [String], on state: String) -> [UInt8] {
    wall += 1
    let schema = #"table book deleteWins\nfield title text latest\n"#
    let header =
      #"{"schemaName":"page","schemaVersion":1,"schemaText":"\#(schema)","wall":\#(wall),"#
      + #""random":"00000000-0000-0000-0000-\#(wall % 1_000_000_000_000)",\#(members)}"#
    return Array(([header, state] + pieces).joined(separator: "\u{1E}").utf8)
  }

  /// Carries out a call, and keeps the device's state that comes back.
  mutating func call(_ members: String, _ pieces: String...) -> Answer {
    let answer = Self.parts(of: WebCall.answer(input(members, pieces, on: device)))
    if let state = answer.pieces.last { device = state }
    return answer
  }

  /// Tells a conversation what happened.
  mutating func converse(_ members: String, _ conversation: String) -> Answer {
    let bytes = input(#""call":"converse",\#(members)"#, [], on: conversation)
    return Self.parts(of: WebCall.answer(bytes))
  }

  /// Adds a book; gives what is held of it.
  mutating func add(_ title: String) -> String {
    call(
      #""call":"edit","action":"create","table":"book","feed":"books","#
        + #""edits":{"title":{"set":"\#(title)"}}"#, "null"
    ).pieces[0]
  }

  private static func parts(of answer: [UInt8]) -> Answer {
    var parts = answer.split(separator: 0x1E, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    let header = parts.removeLast()
    return Answer(pieces: parts, header: header)
  }
}

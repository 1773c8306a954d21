import CommuteCore
import Testing

@Suite struct PlainRecordsTests {
  /// A page of these records, read both ways.
  private func page(_ records: [String]) throws -> SyncAnswer.Feed {
    let bytes = Array(
      """
      {"protocol":1,"epoch":"0000000000000007","time":1700000000000,\
      "nonce":"01234567-89ab-cdef-fedc-ba9876543210","feeds":[{"feed":"books","grant":1,\
      "cursor":9,"fence":0,"records":[\(records.joined(separator: ","))]}]}
      """.utf8)
    let general = try SyncAnswer(decoding: bytes)
    let plain = try SyncAnswer(decodingPlain: bytes)
    #expect(plain == general)
    #expect(plain.encoded() == general.encoded())
    #expect(general.feeds[0].plain.isEmpty)
    #expect(plain.feeds[0].messages == general.feeds[0].records)
    return plain.feeds[0]
  }

  private func record(
    _ number: Int, table: String = "book", author: String? = "ada",
    fields: String = #""rating":{"i":"4"},"title":"Emma""#, rest: String = ""
  ) -> String {
    let name = author.map { #","author":"\#($0)""# } ?? ""
    return #"{"id":"018f3c5e-7a10-7000-8000-0000000000\#(10 + number)","table":"\#(table)","#
      + #""revision":["0000000000000007",\#(number)]\#(name),"#
      + #""stamps":{"018f3c5e7a10-0000-00000000000000a1":"*"},"fields":{\#(fields)}\#(rest)}"#
  }

  @Test func `records of values under one stamp stay as they came`() throws {
    let page = try page((1...5).map { record($0) })
    #expect(page.records.isEmpty)
    #expect(page.plain.records.count == 5)
    #expect(page.plain.layouts == [PlainRecords.Layout(table: "book", names: ["rating", "title"])])
    #expect(page.plain.authors == ["", "ada"])
    #expect(page.plain.values.count == 10)
  }

  @Test func `every kind of value that needs no bytes of its own is plain`() throws {
    let fields =
      #""a":null,"b":true,"c":false,"d":{"d":-0.5},"e":{"i":"-9223372036854775808"},"#
      + #""f":{"t":"1700000000000"},"g":"","h":"é 😀","i":[],"j":["sf","ü",""]"#
    let page = try page([record(1, fields: fields), record(2, fields: "")])
    #expect(page.plain.records.count == 2)
    let state = page.plain.message(at: 0).state
    #expect(state.fields["e"]?.value == .integer(.min))
    #expect(state.fields["j"]?.value == .list(["sf", "ü", ""]))
    #expect(state.fields["h"]?.stamp == state.fields["h"]?.origin)
    #expect(page.plain.message(at: 1).state.fields.isEmpty)
  }

  @Test(
    arguments: [
      #""a":{"b":"AAEC"}"#, #""a":{"new":1}"#, #""a":"\n""#, #""a":["\""]"#, #""a":[ "b"]"#,
      #""b":null,"a":null"#, #""\u0061":null"#, #""a": null"#,
    ]
  )
  func `a value or form of another kind is read as ever`(fields: String) throws {
    let page = try page([record(1), record(2, fields: fields), record(3)])
    #expect(page.plain.records.map(\.others) == [0, 1])
    #expect(page.records.count == 1)
  }

  @Test(
    arguments: [
      #","origins":{"018f3c5e7a10-0000-00000000000000a2":"*"}"#, #","state":{"title":[]}"#,
      #","deleted":"018f3c5e7a10-0000-00000000000000a1""#, #","new":1"#, " ",
    ]
  )
  func `a record of which more is told is read as ever`(rest: String) throws {
    let page = try page([record(1, rest: rest), record(2)])
    #expect(page.plain.records.map(\.others) == [1])
    #expect(page.records.count == 1)
  }

  @Test func `a record that comes twice comes in order`() throws {
    let deleted = #","deleted":"018f3c5e7a10-0000-00000000000000a1""#
    let page = try page([
      record(1, rest: deleted), record(1), record(1, rest: deleted), record(1), record(1),
    ])
    #expect(page.plain.records.map(\.others) == [1, 2, 2])
    #expect(page.messages.map { $0.state.deleted == nil } == [false, true, false, true, true])
  }

  @Test func `tables, names and authors may change from record to record`() throws {
    let page = try page([
      record(1), record(2, table: "film"), record(3, author: nil), record(4, author: "bob"),
      record(5, fields: #""title":"Emma""#), record(6, fields: #""rating":null,"year":null"#),
      record(7, author: "bob"), record(8, table: "film"), record(9),
    ])
    #expect(page.plain.records.count == 9)
    #expect(page.plain.layouts.count == 4)
    #expect(page.plain.authors == ["", "ada", "bob"])
    #expect(page.plain.records.map(\.layout) == [0, 1, 0, 0, 2, 3, 0, 1, 0])
  }

  @Test func `more layouts than are searched are read as ever`() throws {
    let records = (0..<80).map { record($0, fields: #""field\#($0)":null"#) }
    let page = try page(records)
    #expect(page.plain.records.count == 64)
    #expect(page.records.count == 16)
  }

  @Test func `more authors than are searched are read as ever`() throws {
    let records = (0..<80).map { record($0, author: "user\($0)") }
    let page = try page(records)
    #expect(page.plain.records.count == 63)
    #expect(page.records.count == 17)
  }

  @Test func `what is wrong is told alike`() throws {
    let wrong = [
      record(1, fields: #""a":null,"a":null"#), record(1, fields: #""a":"#),
      record(1, fields: #""a":tru"#), record(1, fields: #""":null"#),
      record(1, table: ""), record(1, fields: #""a":{"i":"9223372036854775808"}"#),
      record(1, fields: #""a":"\#u{1}""#), record(1).replacing(#"7",1]"#, with: #"7",-1]"#),
      String(record(1).dropLast()), record(1) + "}",
    ]
    for text in wrong {
      let bytes =
        Array(
          #"{"protocol":1,"epoch":"0000000000000007","time":1,"#.utf8)
        + Array(#""nonce":"01234567-89ab-cdef-fedc-ba9876543210","feeds":[{"feed":"f","#.utf8)
        + Array(#""grant":1,"cursor":1,"records":[\#(record(2)),\#(text)]}]}"#.utf8)
      let general = Result { () throws(WireError) in try SyncAnswer(decoding: bytes) }
      let plain = Result { () throws(WireError) in try SyncAnswer(decodingPlain: bytes) }
      #expect(plain == general, "\(text)")
      if case .success = general { Issue.record("taken: \(text)") }
    }
  }
}

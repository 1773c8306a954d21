import CommuteCore
import Testing

@Suite struct WireErrorTests {
  static func error(answer text: String) -> WireError? {
    do throws(WireError) {
      _ = try SyncAnswer(decoding: Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  static func error(request: SyncRequest) -> WireError? {
    do throws(WireError) {
      _ = try SyncRequest(decoding: request.encoded())
      return nil
    } catch {
      return error
    }
  }

  @Test func `an error names the place, the member and what is wrong`() {
    let text = String(decoding: FullMessages.answer.encoded(), as: UTF8.self)
    let broken = text.replacing("\"pages\":{\"i\":\"-5\"}", with: "\"pages\":{\"i\":-5}")
    let error = Self.error(answer: broken)
    guard case .malformed(let problem, let offset, let path) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem == .expected(.integerText))
    #expect(path == "verdicts[0].record.fields.pages.i")
    #expect(Array(broken.utf8)[offset] == UInt8(ascii: "-"))
    #expect(error?.message.contains("verdicts[0].record.fields.pages.i") == true)
    #expect(error?.message.contains("a text of a whole number of 64 bits was expected") == true)
  }

  @Test func `a missing member is named`() {
    let error = Self.error(answer: "{\"protocol\":1,\"feeds\":[{\"feed\":\"a\"}]}")
    guard case .malformed(.missing, _, let path) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path == "feeds[0].grant")
  }

  @Test func `what a captive portal sends is not ours`() {
    for text in [
      "<html>", "  \r\n<!doctype html>", "{\"error\":\"sign in\"}", "[]", "OK",
      "{\"protocol\":\"x\"}",
    ] {
      guard case .notOurs = Self.error(answer: text) else {
        Issue.record("\(text)")
        continue
      }
    }
  }

  @Test func `another version is told before anything else is judged`() {
    #expect(Self.error(answer: "{\"protocol\":2,\"new\":") == .unsupportedProtocol(2))
    #expect(Self.error(answer: "{\"epoch\":5,\"protocol\":3}") == .unsupportedProtocol(3))
    let message = WireError.unsupportedProtocol(2).message
    #expect(message.contains("protocol 2") && message.contains("update"))
  }

  @Test func `messages for people hold no content`() {
    let secret = "my diary"
    var request = FullMessages.request
    request.build = secret
    let text = String(decoding: request.encoded(), as: UTF8.self)
    for broken in [
      text.replacing("\(secret)\"", with: "\(secret)\\q\""), text + secret,
      text.replacing("\"\(secret)\"", with: "[\"\(secret)\"]"),
    ] {
      do throws(WireError) {
        _ = try SyncRequest(decoding: Array(broken.utf8))
        Issue.record("taken: \(broken)")
      } catch {
        #expect(!error.message.contains(secret))
      }
    }
  }

  static func limit(_ error: WireError?) -> WireLimit? {
    guard case .tooLarge(let limit, _, _) = error else { return nil }
    return limit
  }

  static func operation(titled title: String) -> SyncRequest.SentOperation {
    var operation = FullMessages.operation
    operation.fields["title"] = OperationField(value: .text(title), stamp: FullMessages.stamp)
    return SyncRequest.SentOperation(operation: operation)
  }

  @Test func `texts are limited by their bytes, not by those of their escapes`() throws {
    var request = FullMessages.request
    let fits = String(repeating: "\n", count: WireLimit.text.value)
    request.operations = [Self.operation(titled: fits)]
    #expect(Self.error(request: request) == nil)
    request.operations = [Self.operation(titled: fits + "\n")]
    let error = Self.error(request: request)
    #expect(Self.limit(error) == .text)
    #expect(error?.message.contains("262144") == true)
    request.operations = [Self.operation(titled: String(repeating: "a", count: fits.count + 1))]
    #expect(Self.limit(Self.error(request: request)) == .text)
  }

  @Test func `byte strings and unknown kinds are limited alike`() {
    let long = [UInt8](repeating: 7, count: WireLimit.text.value + 1)
    let letters = [UInt8](repeating: 0x61, count: long.count)
    let unknown = Array("{\"x\":\"".utf8) + letters + Array("\"}".utf8)
    for value in [FieldValue.bytes(long), .unknown(unknown)] {
      var request = FullMessages.request
      request.operations[0].bytes = []
      request.operations[0].operation.fields["title"]?.value = value
      #expect(Self.limit(Self.error(request: request)) == .text)
    }
  }

  @Test func `operations, records and messages are limited as a whole`() {
    let long = FieldValue.text(String(repeating: "a", count: WireLimit.text.value))
    var request = FullMessages.request
    request.operations[0].bytes = []
    for index in 0..<9 {
      let field = OperationField(value: long, stamp: FullMessages.stamp)
      request.operations[0].operation.fields[Key("f\(index)")] = field
    }
    #expect(Self.limit(Self.error(request: request)) == .operation)
    request = FullMessages.request
    for index in 0..<17 {
      let field = FieldState(value: long, stamp: FullMessages.stamp)
      request.offers[0].record.state.fields[Key("f\(index)")] = field
    }
    #expect(Self.limit(Self.error(request: request)) == .record)
    request = FullMessages.request
    let padding = [UInt8](repeating: 0x20, count: WireLimit.request.value)
    request.operations[0].bytes = Array("{".utf8) + padding + Array("}".utf8)
    #expect(Self.limit(Self.error(request: request)) == .request)
  }

  @Test func `an answer is limited, whatever is in it`() {
    let padding = [UInt8](repeating: 0x20, count: WireLimit.answer.value)
    #expect(throws: WireError.tooLarge(.answer, at: WireLimit.answer.value, path: "")) {
      try SyncAnswer(decoding: FullMessages.answer.encoded() + padding)
    }
  }

  @Test func `every limit says its number`() {
    for limit in WireLimit.allCases {
      #expect(limit.message.contains("\(limit.value)"), "\(limit.name)")
    }
    #expect(Set(WireLimit.allCases.map { Key($0.name) }).count == WireLimit.allCases.count)
  }

  @Test func `what is kept unread fits wherever it is relayed`() throws {
    let deep = Array((String(repeating: "[", count: 16) + String(repeating: "]", count: 16)).utf8)
    var record = FullMessages.record
    record.state.unknown["x"] = deep
    record.state.fields["tags"]?.merge = deep
    let kind = Array("{\"x\":".utf8) + deep.dropFirst().dropLast() + Array("}".utf8)
    record.state.fields["colour"]?.value = .unknown(kind)
    var answer = FullMessages.answer
    answer.verdicts[0].record = record
    answer.feeds[0].records = [record]
    answer.renew = [record]
    #expect(try SyncAnswer(decoding: answer.encoded()) == answer)
    var request = FullMessages.request
    request.offers[0].record = record
    #expect(try SyncRequest(decoding: request.encoded()) == request)
  }
}

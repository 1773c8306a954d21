import CommuteCore
import Testing

@Suite struct RoundTripTests {
  @Test func `full messages come back equal`() throws {
    #expect(try RecordMessage(json: FullMessages.record.encodedJSON()) == FullMessages.record)
    #expect(try SyncRequest(decoding: FullMessages.request.encoded()) == FullMessages.request)
    #expect(try SyncAnswer(decoding: FullMessages.answer.encoded()) == FullMessages.answer)
    var operation = FullMessages.operation
    let bytes = operation.encoded()
    operation.digest = SHA256.hash(bytes)
    #expect(try Operation(decoding: bytes) == operation)
  }

  @Test func `random messages come back equal, and are written the same again`() throws {
    for seed: UInt64 in 0..<400 {
      var messages = RandomMessages(seed: seed)
      let request = messages.request()
      let requestBytes = request.encoded()
      let readRequest = try SyncRequest(decoding: requestBytes)
      #expect(readRequest == request, "seed \(seed)")
      #expect(readRequest.encoded() == requestBytes, "seed \(seed)")
      let answer = messages.answer()
      let answerBytes = answer.encoded()
      let readAnswer = try SyncAnswer(decoding: answerBytes)
      #expect(readAnswer == answer, "seed \(seed)")
      #expect(readAnswer.encoded() == answerBytes, "seed \(seed)")
      let plainAnswer = try SyncAnswer(decodingPlain: answerBytes)
      #expect(plainAnswer == answer, "seed \(seed)")
      #expect(plainAnswer.encoded() == answerBytes, "seed \(seed)")
      var operation = messages.operation()
      operation.digest = SHA256.hash(operation.encoded())
      #expect(try Operation(decoding: operation.encoded()) == operation, "seed \(seed)")
      let record = messages.record()
      #expect(try RecordMessage(json: record.encodedJSON()) == record, "seed \(seed)")
    }
  }

  @Test func `an operation keeps its bytes and has their hash, whatever its form`() throws {
    let frozen = Array(
      """
      { "id":"01234567-89ab-cdef-fedc-ba9876543210" ,"schema":1,"replica":"00000000000000a1",
      "record":"018f3c5e-7a10-7000-8000-0123456789ab","t\\u0061ble":"book","feed":"books"  }
      """.utf8)
    var request = FullMessages.request
    request.operations[0].bytes = frozen
    let read = try SyncRequest(decoding: request.encoded())
    #expect(read.operations[0].bytes == frozen)
    #expect(read.operations[0].operation.digest == SHA256.hash(frozen))
    #expect(read.operations[0].operation == (try Operation(decoding: frozen)))
    #expect(read.encoded() == request.encoded())
  }

  @Test func `an operation without bytes is written from its parts`() throws {
    var request = FullMessages.request
    let whole = request.encoded()
    request.operations[0].bytes = []
    #expect(request.encoded() == whole)
  }

  @Test func `a record's own JSON is spliced, and none is kept after reading`() throws {
    var answer = FullMessages.answer
    let plain = answer.encoded()
    answer.feeds[0].records[0].encoded = answer.feeds[0].records[0].encodedJSON()
    answer.feeds[0].records[0].state = RecordState()
    #expect(answer.encoded() == plain)
    let read = try SyncAnswer(decoding: plain)
    #expect(read.feeds[0].records[0].encoded.isEmpty)
    #expect(read.feeds[0].records[0].state == FullMessages.record.state)
  }

  @Test func `bases can be taken out before freezing`() throws {
    let bare = FullMessages.operation.withoutBases()
    let read = try Operation(decoding: bare.encoded())
    #expect(read.fields.entries.allSatisfy { $0.value.base == nil })
    #expect(read.fields.names == FullMessages.operation.fields.names)
  }

  @Test func `a renewal without records is not no renewal`() throws {
    var answer = FullMessages.answer
    answer.renew = []
    #expect(try SyncAnswer(decoding: answer.encoded()).renew == [])
    answer.renew = nil
    #expect(try SyncAnswer(decoding: answer.encoded()).renew == nil)
  }

  @Test func `a wall clock gone wild does not make a request unreadable`() throws {
    for time in [Int64.min, -(1 << 60), 1 << 60, .max] {
      var request = FullMessages.request
      request.time = time
      let read = try SyncRequest(decoding: request.encoded())
      #expect(read.time.magnitude == (1 << 53) - 1)
      #expect((read.time < 0) == (time < 0))
    }
  }

  @Test func `codes of later versions are read, and the message stays`() throws {
    let text = String(decoding: FullMessages.answer.encoded(), as: UTF8.self)
    let changed = text.replacing("\"code\":\"gone\"", with: "\"code\":\"unheardOf\"")
      .replacing("\"code\":\"needs\"", with: "\"code\":\"moonPhase\"")
    let verdicts = try SyncAnswer(decoding: Array(changed.utf8)).verdicts
    #expect(verdicts[2].kind == .rejected(.other, message: "gone for good"))
    #expect(verdicts[3].kind == .later(.unavailable, afterMilliseconds: 5_000))
  }

  @Test func `texts that only look alike stay apart`() throws {
    var one = FullMessages.answer
    var other = FullMessages.answer
    one.feeds[0].records[0].state.author = "\u{E9}"
    other.feeds[0].records[0].state.author = "e\u{301}"
    #expect(one != other)
    #expect(try SyncAnswer(decoding: one.encoded()) == one)
    #expect(try SyncAnswer(decoding: other.encoded()) == other)
  }
}

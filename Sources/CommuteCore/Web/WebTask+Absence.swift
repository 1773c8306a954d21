/// What becomes of records the server no longer tells, of a clock led astray, and when to talk.
extension WebTask {
  /// Sweeps records that a reset did not tell, or gives up those of a feed that was taken away.
  mutating func leave(into output: inout WebOutput) throws(WebRefusal) {
    var rejections: [Rejection] = []
    for var record in try records(from: 1) {
      rejections +=
        header.call == "sweep"
        ? record.sweep(by: held.device.replica) : record.revoke(reason: header.reason)
      output.record(record)
    }
    for rejection in rejections { output.rejection(rejection) }
  }

  /// Takes one record's operation out of the line for the inbox, or puts it off.
  mutating func setAside(into output: inout WebOutput) throws(WebRefusal) {
    guard var record = try record(1) else { throw WebRefusal(call: "the record is missing") }
    var rejections: [Rejection] = []
    if header.call == "refuse" {
      rejections = record.giveUp(code: .tooLarge, message: header.reason)
    } else if !record.rows.isEmpty {
      record.rows[0].notBefore = header.wall.adding(milliseconds: header.limit)
    }
    output.record(record)
    for rejection in rejections { output.rejection(rejection) }
  }

  /// Sets a clock back that was led astray.
  ///
  /// What a server has settled is at most so much ahead of its time, so that for base that bound
  /// stands in; only what is the device's own is looked at.
  mutating func lower(into output: inout WebOutput) throws(WebRefusal) {
    let clock = held.device.clock
    let server = max(0, header.wall &+ clock.offset)
    var greatest = Stamp(
      milliseconds: UInt64(server) &+ Limits.skewMilliseconds, counter: 0,
      replica: ReplicaID(rawValue: 0))
    for index in pieces.indices.dropFirst(1) {
      let piece = try piece(index)
      if piece.starts(with: "{\"code\"".utf8) {
        let entry = try WebCall.read(piece) { (reader) throws(JSONFault) in
          try reader.heldRejection()
        }
        greatest = max(greatest, entry.greatestStamp)
      } else if let record = try record(index) {
        for row in record.rows { greatest = max(greatest, row.operation.greatestStamp) }
        greatest = max(greatest, record.offer?.state.greatestStamp ?? .floor)
      }
    }
    let isLowered = held.device.lowerClock(
      to: greatest, wall: header.wall, newReplica: ReplicaID.random(using: &random))
    output.note("isLowered", if: isLowered)
    output.note("number") { $0.unsigned(held.device.number) }
    output.note("replica") { $0.digits(held.device.replica.rawValue) }
  }

  /// Tells a conversation what happened.
  mutating func converse(into output: inout WebOutput) throws(WebRefusal) {
    let piece = try piece(0)
    var conversation = Conversation()
    if !piece.elementsEqual("null".utf8) {
      conversation = try WebCall.read(piece) { (reader) throws(JSONFault) in
        try reader.heldConversation()
      }
    }
    if header.batch > 0 { conversation.noteSent(header.batch) }
    let effects = conversation.handle(try event())
    output.note("effects") { $0.effects(effects) }
    output.conversation(conversation)
  }

  private mutating func event() throws(WebRefusal) -> Conversation.Event {
    switch header.event {
    case "changed": return .changed
    case "requested": return .requested
    case "cameOnline": return .cameOnline
    case "answered": return .answered(more: header.more)
    case "retryDue": return .retryDue
    case "unblocked": return .unblocked
    case "failed":
      return .failed(header.failure ?? .timedOut, wall: header.wall, draw: random.next())
    default: throw WebRefusal(call: "a conversation hears of no '\(header.event.text)'")
    }
  }
}

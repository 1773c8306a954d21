extension SyncAnswer {
  /// The body of the answer to `POST /v1/sync`.
  public func encoded() -> [UInt8] {
    var size = 1_024 + verdicts.count * 256
    for feed in feeds {
      for record in feed.records { size += max(record.encoded.count, 512) }
      size += feed.plain.records.count * 512
    }
    var writer = JSONWriter(capacity: size)
    writer.answer(self)
    return writer.bytes
  }

  /// Reads an answer.
  ///
  /// - Throws: ``WireError``; bytes that are no answer of a server of ours are told apart.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try WireEdge.readMessage(bytes, limit: .answer) { (reader) throws(JSONFault) in
      try reader.answer()
    }
  }

  /// Reads an answer, and leaves records that are nothing but values under one stamp as they came,
  /// for a store that binds them from there; ``Feed/records`` lacks those.
  ///
  /// - Throws: ``WireError``, for the same bytes as ``init(decoding:)``.
  package init(decodingPlain bytes: [UInt8]) throws(WireError) {
    self = try WireEdge.readMessage(bytes, limit: .answer) { (reader) throws(JSONFault) in
      reader.keepsPlain = true
      return try reader.answer()
    }
    for index in feeds.indices where !feeds[index].plain.isEmpty {
      feeds[index].plain.bytes = bytes
    }
  }
}

extension JSONWriter {
  /// Writes an answer.
  mutating func answer(_ answer: SyncAnswer) {
    append("{\"protocol\":")
    unsigned(answer.protocolVersion)
    append(",\"epoch\":")
    digits(answer.epoch.rawValue)
    append(",\"time\":")
    time(answer.time)
    append(",\"nonce\":")
    identifier(answer.nonce)
    if !answer.ancestry.isEmpty { ancestry(answer.ancestry) }
    if let records = answer.renew {
      append(",\"renew\":")
      self.records(records)
    }
    if !answer.verdicts.isEmpty {
      append(",\"verdicts\":[")
      for verdict in answer.verdicts {
        separate()
        self.verdict(verdict)
      }
      append(0x5D)
    }
    if !answer.feeds.isEmpty {
      append(",\"feeds\":[")
      for feed in answer.feeds {
        separate()
        self.feed(feed)
      }
      append(0x5D)
    }
    if !answer.devices.isEmpty { devices(answer.devices) }
    append(0x7D)
  }

  private mutating func records(_ records: [RecordMessage]) {
    append(0x5B)
    for record in records {
      separate()
      self.record(record)
    }
    append(0x5D)
  }

  private mutating func ancestry(_ ancestry: [SyncAnswer.Ancestor]) {
    append(",\"ancestry\":[")
    for ancestor in ancestry {
      separate()
      append("{\"epoch\":")
      digits(ancestor.epoch.rawValue)
      append(",\"ended\":")
      time(ancestor.ended)
      if !ancestor.heads.isEmpty {
        append(",\"heads\":{")
        for entry in ancestor.heads.entries {
          name(entry.name)
          unsigned(entry.value)
        }
        append(0x7D)
      }
      append(0x7D)
    }
    append(0x5D)
  }

  private mutating func feed(_ feed: SyncAnswer.Feed) {
    append("{\"feed\":")
    text(feed.feed.text)
    append(",\"grant\":")
    unsigned(feed.grant)
    if let cursor = feed.cursor {
      append(",\"cursor\":")
      unsigned(cursor)
    }
    append(",\"fence\":")
    unsigned(feed.fence)
    if feed.recordCount > 0 {
      append(",\"records\":")
      records(feed.messages)
    }
    if feed.more { append(",\"more\":true") }
    if let reset = feed.reset {
      append(",\"reset\":")
      unsigned(reset)
    }
    if let reason = feed.revoked {
      append(",\"revoked\":")
      text(reason)
    }
    append(0x7D)
  }

  private mutating func devices(_ devices: [SyncAnswer.Device]) {
    append(",\"devices\":{")
    for device in devices {
      separate()
      digits(device.replica.rawValue)
      append(0x3A)
      text(device.name)
    }
    append(0x7D)
  }
}

extension JSONReader {
  /// Reads an answer.
  mutating func answer() throws(JSONFault) -> SyncAnswer {
    skipSpace()
    let start = offset
    var result = SyncAnswer(
      epoch: Epoch(rawValue: 0), time: 0, nonce: Nonce(high: 0, low: 0))
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .protocol: result.protocolVersion = try unsigned()
      case .epoch: result.epoch = try epoch()
      case .time: result.time = try integer()
      case .nonce: result.nonce = try identifier()
      case .ancestry: result.ancestry = try ancestry()
      case .renew: result.renew = try records()
      case .verdicts: result.verdicts = try verdicts()
      case .feeds: result.feeds = try answerFeeds()
      case .devices: result.devices = try devices()
      default: try skipValue()
      }
    }
    for member: WireMember in [.protocol, .epoch, .time, .nonce] {
      try need(member, in: members, at: start)
    }
    return result
  }

  private mutating func records() throws(JSONFault) -> [RecordMessage] {
    var records: [RecordMessage] = []
    try openArray()
    // A record takes some 300 bytes; room for as many as may come saves moving them.
    if peek() == 0x7B { records.reserveCapacity(min((end - offset) / 300 + 1, 4_096)) }
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { records.append(try record()) }
    return records
  }

  private mutating func ancestry() throws(JSONFault) -> [SyncAnswer.Ancestor] {
    var ancestry: [SyncAnswer.Ancestor] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { ancestry.append(try ancestor()) }
    return ancestry
  }

  private mutating func ancestor() throws(JSONFault) -> SyncAnswer.Ancestor {
    skipSpace()
    let start = offset
    var result = SyncAnswer.Ancestor(epoch: Epoch(rawValue: 0), ended: 0, heads: FieldMap())
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .epoch: result.epoch = try epoch()
      case .ended: result.ended = try integer()
      case .heads: result.heads = try heads()
      default: try skipValue()
      }
    }
    try need(.epoch, in: members, at: start)
    try need(.ended, in: members, at: start)
    return result
  }

  private mutating func heads() throws(JSONFault) -> FieldMap<UInt64> {
    let start = offset
    var collector = FieldCollector<UInt64>()
    var members = try openObject()
    while try nextName(&members) {
      collector.add(try key(members.name), try unsigned())
    }
    guard let heads = collector.finish() else { throw JSONFault(.duplicateName, at: start) }
    return heads
  }

  private mutating func answerFeeds() throws(JSONFault) -> [SyncAnswer.Feed] {
    var feeds: [SyncAnswer.Feed] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { feeds.append(try answerFeed()) }
    return feeds
  }

  private mutating func answerFeed() throws(JSONFault) -> SyncAnswer.Feed {
    skipSpace()
    let start = offset
    var result = SyncAnswer.Feed(feed: "", grant: 0, cursor: nil)
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .feed: result.feed = try key()
      case .grant: result.grant = try unsigned()
      case .cursor: result.cursor = try skipNull() ? nil : unsigned()
      case .fence: result.fence = try unsigned()
      case .records where keepsPlain: result.records = try records(plain: &result.plain)
      case .records: result.records = try records()
      case .more: result.more = try boolean()
      case .reset: result.reset = try skipNull() ? nil : unsigned()
      case .revoked: result.revoked = try skipNull() ? nil : string()
      default: try skipValue()
      }
    }
    try need(.feed, in: members, at: start)
    try need(.grant, in: members, at: start)
    return result
  }

  private mutating func devices() throws(JSONFault) -> [SyncAnswer.Device] {
    var devices: [SyncAnswer.Device] = []
    var members = try openObject()
    while try nextName(&members) {
      note(members.name)
      let replica = ReplicaID(rawValue: try digits(members.name))
      devices.append(SyncAnswer.Device(replica: replica, name: try string()))
    }
    return devices
  }
}

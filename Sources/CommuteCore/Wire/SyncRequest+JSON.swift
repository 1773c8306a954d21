extension SyncRequest {
  /// The body of `POST /v1/sync`.
  public func encoded() -> [UInt8] {
    let frozen = operations.reduce(0) { $0 + max($1.bytes.count, 512) }
    var writer = JSONWriter(capacity: 1_024 + frozen + offers.count * 512)
    writer.request(self)
    return writer.bytes
  }

  /// Reads a request; each operation keeps its bytes and has their hash.
  ///
  /// - Throws: ``WireError``; nothing of a request that breaks the format is taken.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try WireEdge.readMessage(bytes, limit: .request) { (reader) throws(JSONFault) in
      try reader.request()
    }
  }
}

extension JSONWriter {
  /// Writes a request.
  mutating func request(_ request: SyncRequest) {
    append("{\"protocol\":")
    unsigned(request.protocolVersion)
    append(",\"schema\":{\"name\":")
    text(request.schema.name.text)
    append(",\"version\":")
    unsigned(request.schema.version)
    append(",\"hash\":")
    digits(request.schema.hash)
    append("},\"build\":")
    text(request.build)
    append(",\"owner\":")
    text(request.owner)
    append(",\"replica\":")
    digits(request.replica.rawValue)
    if !request.replicas.isEmpty {
      append(",\"replicas\":[")
      for replica in request.replicas {
        separate()
        digits(replica.rawValue)
      }
      append(0x5D)
    }
    append(",\"device\":")
    text(request.device)
    append(",\"number\":")
    unsigned(request.number)
    append(",\"nonce\":")
    identifier(request.nonce)
    if let epoch = request.epoch {
      append(",\"epoch\":")
      digits(epoch.rawValue)
    }
    append(",\"time\":")
    time(request.time)
    append(",\"limit\":{\"bytes\":")
    unsigned(request.limit.bytes)
    append(",\"records\":")
    unsigned(request.limit.records)
    append(0x7D)
    lists(of: request)
    append(0x7D)
  }

  private mutating func lists(of request: SyncRequest) {
    if !request.feeds.isEmpty { feeds(request.feeds) }
    if !request.offers.isEmpty {
      append(",\"offers\":[")
      for offer in request.offers {
        separate()
        append("{\"id\":")
        identifier(offer.id)
        if !offer.feed.text.utf8.isEmpty {
          append(",\"feed\":")
          text(offer.feed.text)
        }
        append(",\"record\":")
        record(offer.record)
        append(0x7D)
      }
      append(0x5D)
    }
    if !request.again.isEmpty {
      append(",\"again\":[")
      for id in request.again {
        separate()
        identifier(id)
      }
      append(0x5D)
    }
    if !request.operations.isEmpty {
      append(",\"operations\":[")
      for sent in request.operations {
        separate()
        operation(sent)
      }
      append(0x5D)
    }
  }

  private mutating func feeds(_ feeds: [SyncRequest.Feed]) {
    append(",\"feeds\":[")
    for feed in feeds {
      separate()
      append("{\"feed\":")
      text(feed.feed.text)
      if let grant = feed.grant {
        append(",\"grant\":")
        unsigned(grant)
      }
      if let cursor = feed.cursor {
        append(",\"cursor\":")
        unsigned(cursor)
      }
      if let reset = feed.reset {
        append(",\"reset\":")
        unsigned(reset)
      }
      append(0x7D)
    }
    append(0x5D)
  }
}

extension JSONReader {
  /// Reads a request.
  mutating func request() throws(JSONFault) -> SyncRequest {
    skipSpace()
    let start = offset
    var result = SyncRequest(
      schema: SchemaID(name: "", version: 0, hash: 0), build: "", owner: "",
      replica: ReplicaID(rawValue: 0), device: "", number: 0, nonce: Nonce(high: 0, low: 0),
      epoch: nil, time: 0, feeds: [])
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .protocol: result.protocolVersion = try unsigned()
      case .schema: result.schema = try schemaID()
      case .build: result.build = try label()
      case .owner: result.owner = try label()
      case .replica: result.replica = ReplicaID(rawValue: try digits())
      case .replicas: result.replicas = try replicas()
      case .device: result.device = try label()
      case .number: result.number = try unsigned()
      case .nonce: result.nonce = try identifier()
      case .epoch: result.epoch = try skipNull() ? nil : epoch()
      case .time: result.time = try integer()
      case .feeds: result.feeds = try requestFeeds()
      case .offers: result.offers = try offers()
      case .again: result.again = try operationIDs()
      case .operations: result.operations = try operations()
      case .limit: result.limit = try requestLimit()
      default: try skipValue()
      }
    }
    for member: WireMember in [
      .protocol, .schema, .build, .owner, .replica, .device, .number, .nonce, .time,
    ] {
      try need(member, in: members, at: start)
    }
    return result
  }

  private mutating func schemaID() throws(JSONFault) -> SchemaID {
    skipSpace()
    let start = offset
    var result = SchemaID(name: "", version: 0, hash: 0)
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .name: result.name = try key()
      case .version: result.version = try unsigned()
      case .hash: result.hash = try digits()
      default: try skipValue()
      }
    }
    for member: WireMember in [.name, .version, .hash] {
      try need(member, in: members, at: start)
    }
    return result
  }

  private mutating func replicas() throws(JSONFault) -> [ReplicaID] {
    var replicas: [ReplicaID] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) {
      replicas.append(ReplicaID(rawValue: try digits()))
    }
    return replicas
  }

  private mutating func requestFeeds() throws(JSONFault) -> [SyncRequest.Feed] {
    var feeds: [SyncRequest.Feed] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) {
      guard feeds.count < WireLimit.feeds.value else { throw JSONFault(.feeds, at: offset) }
      feeds.append(try requestFeed())
    }
    return feeds
  }

  private mutating func requestFeed() throws(JSONFault) -> SyncRequest.Feed {
    skipSpace()
    let start = offset
    var result = SyncRequest.Feed(feed: "")
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .feed: result.feed = try key()
      case .grant: result.grant = try skipNull() ? nil : unsigned()
      case .cursor: result.cursor = try skipNull() ? nil : unsigned()
      case .reset: result.reset = try skipNull() ? nil : unsigned()
      default: try skipValue()
      }
    }
    try need(.feed, in: members, at: start)
    return result
  }

  private mutating func offers() throws(JSONFault) -> [SyncRequest.Offer] {
    var offers: [SyncRequest.Offer] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { offers.append(try offer()) }
    return offers
  }

  private mutating func offer() throws(JSONFault) -> SyncRequest.Offer {
    skipSpace()
    let start = offset
    var id = OperationID(high: 0, low: 0)
    var feed: Key = ""
    var record: RecordMessage?
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .id: id = try identifier()
      case .feed: feed = try key()
      case .record: record = try self.record()
      default: try skipValue()
      }
    }
    // An offer without a feed is one of the first drafts of the wire; it is refused by name.
    try need(.id, in: members, at: start)
    guard let record else { throw JSONFault(missing: .record, at: start) }
    return SyncRequest.Offer(id: id, feed: feed, record: record)
  }

  private mutating func operationIDs() throws(JSONFault) -> [OperationID] {
    var ids: [OperationID] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { ids.append(try identifier()) }
    return ids
  }

  private mutating func operations() throws(JSONFault) -> [SyncRequest.SentOperation] {
    var operations: [SyncRequest.SentOperation] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { operations.append(try operation()) }
    return operations
  }

  private mutating func requestLimit() throws(JSONFault) -> SyncRequest.Limit {
    var limit = SyncRequest.Limit()
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .bytes: limit.bytes = try unsigned()
      case .records: limit.records = try unsigned()
      default: try skipValue()
      }
    }
    return limit
  }
}

extension Operation {
  /// The operation as JSON: the bytes to freeze when it is first marked in flight.
  ///
  /// The base values of its fields are written where there are any; a device takes them out first
  /// where no rule needs them (``withoutBases()``).
  public func encoded() -> [UInt8] {
    var writer = JSONWriter(capacity: 512)
    writer.operation(self)
    return writer.bytes
  }

  /// Reads an operation from its bytes; ``digest`` is their hash.
  ///
  /// - Throws: ``WireError`` saying where the bytes are no operation.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try WireEdge.read(bytes, limit: .operation) { (reader) throws(JSONFault) in
      try reader.operation().operation
    }
  }

  /// The same operation without base values, but for those that the rule `text` merges with.
  public func withoutBases() -> Operation {
    var result = self
    for index in 0..<fields.count where fields[position: index].rule != .text {
      result.fields[position: index].base = nil
    }
    return result
  }
}

extension JSONWriter {
  /// Writes an operation of its frozen bytes, or makes them.
  mutating func operation(_ sent: SyncRequest.SentOperation) {
    if sent.bytes.isEmpty { operation(sent.operation) } else { append(sent.bytes) }
  }

  /// Writes an operation.
  mutating func operation(_ operation: Operation) {
    append("{\"id\":")
    identifier(operation.id)
    append(",\"schema\":")
    unsigned(operation.schema)
    append(",\"replica\":")
    digits(operation.replica.rawValue)
    if let epoch = operation.epoch {
      append(",\"epoch\":")
      digits(epoch.rawValue)
    }
    if let base = operation.base {
      append(",\"base\":")
      revision(base)
    }
    append(",\"table\":")
    text(operation.key.table.text)
    append(",\"record\":")
    identifier(operation.key.id)
    append(",\"feed\":")
    text(operation.feed.text)
    if operation.creates { append(",\"creates\":true") }
    if let revived = operation.revives {
      append(",\"revives\":")
      stamp(revived)
    }
    changes(of: operation)
    if let deleted = operation.deleted {
      append(",\"deleted\":")
      stamp(deleted)
    }
    if !operation.needs.isEmpty { needs(operation.needs) }
    if !operation.declares.isEmpty {
      append(",\"declares\":[")
      for line in operation.declares {
        separate()
        text(line.text)
      }
      append(0x5D)
    }
    append(0x7D)
  }

  private mutating func changes(of operation: Operation) {
    if operation.fields.isEmpty { return }
    append(",\"stamps\":")
    stamps(operation.fields.entries.map { ($0.name, $0.value.stamp) }, isWhole: true)
    append(",\"fields\":{")
    for entry in operation.fields.entries {
      name(entry.name)
      change(entry.value)
    }
    append(0x7D)
  }

  private mutating func needs(_ records: [RecordKey]) {
    append(",\"needs\":[")
    for record in records {
      separate()
      append(0x5B)
      text(record.table.text)
      append(0x2C)
      identifier(record.id)
      append(0x5D)
    }
    append(0x5D)
  }
}

extension JSONReader {
  /// Reads an operation with its bytes and their hash.
  mutating func operation() throws(JSONFault) -> SyncRequest.SentOperation {
    skipSpace()
    let start = offset
    var result = Operation(
      id: OperationID(high: 0, low: 0), schema: 0, replica: ReplicaID(rawValue: 0),
      key: RecordKey(table: "", id: .zero), feed: "")
    var stamps = StampedNames()
    var fieldsOffset: Int?
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .id: result.id = try identifier()
      case .schema: result.schema = try unsigned()
      case .replica: result.replica = ReplicaID(rawValue: try digits())
      case .epoch: result.epoch = try skipNull() ? nil : epoch()
      case .base: result.base = try skipNull() ? nil : revision()
      case .table: result.key.table = try key()
      case .record: result.key.id = try identifier()
      case .feed: result.feed = try key()
      case .creates: result.creates = try boolean()
      case .revives: result.revives = try stamp()
      case .stamps: stamps = try stampedNames()
      case .fields where members.has(.stamps): result.fields = try changes(&stamps)
      case .fields:
        fieldsOffset = offset
        try skipValue()
      case .deleted: result.deleted = try stamp()
      case .needs: result.needs = try needs()
      case .declares: result.declares = try declarations()
      default: try skipValue()
      }
    }
    let end = offset
    guard end - start <= WireLimit.operation.value else { throw JSONFault(.operation, at: start) }
    for member: WireMember in [.id, .schema, .replica, .table, .record, .feed] {
      try need(member, in: members, at: start)
    }
    if let early = fieldsOffset {
      offset = early
      result.fields = try changes(&stamps)
      offset = end
    }
    try checkAllUsed(stamps, at: start)
    while !cache.namedStamps.isEmpty { cache.namedStamps.removeLast() }
    let bytes = rawBytes(start, end)
    result.digest = SHA256.hash(bytes)
    return SyncRequest.SentOperation(operation: result, bytes: bytes)
  }

  private mutating func changes(
    _ stamps: inout StampedNames
  ) throws(JSONFault) -> FieldMap<OperationField> {
    skipSpace()
    let start = offset
    var collector = FieldCollector<OperationField>()
    var members = try openObject()
    while let name = try nextField(&members) {
      let stamp = try stamp(of: name, at: members.name, in: &stamps)
      collector.add(name, try change(stamp))
    }
    guard let fields = collector.finish() else { throw JSONFault(.duplicateName, at: start) }
    return fields
  }

  private mutating func declarations() throws(JSONFault) -> [Key] {
    var lines: [Key] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { lines.append(Key(try string())) }
    return lines
  }

  private mutating func needs() throws(JSONFault) -> [RecordKey] {
    var records: [RecordKey] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) {
      let start = offset
      try openArray()
      var isFirstPart = true
      guard try nextElement(isFirst: &isFirstPart) else {
        throw JSONFault(.expected(.name), at: start)
      }
      let table = try key()
      guard try nextElement(isFirst: &isFirstPart) else {
        throw JSONFault(.expected(.identifier), at: start)
      }
      records.append(RecordKey(table: table, id: try identifier()))
      guard peek() == 0x5D else { throw unexpected() }
      offset += 1
      depth -= 1
    }
    return records
  }
}

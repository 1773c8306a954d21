extension RecordMessage {
  /// The record as JSON: ``encoded`` where it is at hand, else made of the state.
  public func encodedJSON() -> [UInt8] {
    if !encoded.isEmpty { return encoded }
    var writer = JSONWriter(capacity: 512)
    writer.record(self)
    return writer.bytes
  }

  /// Appends the record as JSON.
  public func appendJSON(to output: inout [UInt8]) {
    output.append(contentsOf: encodedJSON())
  }

  /// Reads a record from JSON; it may lack a revision, which no record in a message may.
  ///
  /// - Throws: ``WireError`` saying where the bytes are no record.
  public init(json: [UInt8]) throws(WireError) {
    self = try WireEdge.read(json, limit: .record) { (reader) throws(JSONFault) in
      try reader.record(needsRevision: false)
    }
  }
}

extension JSONWriter {
  /// Writes a record, or splices it where its JSON is at hand.
  mutating func record(_ record: RecordMessage) {
    guard record.encoded.isEmpty else { return append(record.encoded) }
    let state = record.state
    append("{\"id\":")
    identifier(record.key.id)
    append(",\"table\":")
    text(record.key.table.text)
    if let revision = state.revision {
      append(",\"revision\":")
      self.revision(revision)
    }
    if !state.author.utf8.isEmpty {
      append(",\"author\":")
      text(state.author)
    }
    if !state.fields.isEmpty { fields(state.fields) }
    if let deleted = state.deleted {
      append(",\"deleted\":")
      stamp(deleted)
    }
    for entry in state.unknown.entries {
      name(entry.name)
      append(entry.value)
    }
    append(0x7D)
  }

  private mutating func fields(_ fields: FieldMap<FieldState>) {
    append(",\"stamps\":")
    stamps(of: fields)
    let foreign = fields.entries.filter { $0.value.origin != $0.value.stamp }
    if !foreign.isEmpty {
      append(",\"origins\":")
      stamps(foreign.map { ($0.name, $0.value.origin) }, isWhole: foreign.count == fields.count)
    }
    append(",\"fields\":{")
    for entry in fields.entries {
      name(entry.name)
      value(entry.value.value)
    }
    append(0x7D)
    guard fields.entries.contains(where: { !$0.value.merge.isEmpty }) else { return }
    append(",\"state\":{")
    for entry in fields.entries where !entry.value.merge.isEmpty {
      name(entry.name)
      append(entry.value.merge)
    }
    append(0x7D)
  }

  /// Most records carry one stamp, which then needs no list of names.
  private mutating func stamps(of fields: FieldMap<FieldState>) {
    let first = fields.entries[0].value.stamp
    if fields.entries.allSatisfy({ $0.value.stamp == first }) {
      append(0x7B)
      stamp(first)
      append(":\"*\"}")
    } else {
      stamps(fields.entries.map { ($0.name, $0.value.stamp) }, isWhole: true)
    }
  }
}

extension JSONReader {
  /// Reads a record.
  mutating func record(needsRevision: Bool = true) throws(JSONFault) -> RecordMessage {
    skipSpace()
    let start = offset
    var key = RecordKey(table: "", id: .zero)
    var state = RecordState()
    var parts = RecordParts()
    var unknown = FieldCollector<[UInt8]>()
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .id: key.id = try identifier()
      case .table: key.table = try self.key()
      case .revision: state.revision = try revision()
      case .author: state.author = try author()
      case .stamps: parts.stamps = try stampedNames()
      case .origins: parts.origins = try stampedNames()
      case .fields where members.has(.stamps): state.fields = try fields(&parts.stamps)
      case .fields: parts.fieldsOffset = try skipToLater()
      case .state: parts.stateOffset = try skipToLater()
      case .deleted: state.deleted = try stamp()
      default:
        let name = Key(string(members.name))
        unknown.add(name, try raw())
      }
    }
    guard offset - start <= WireLimit.record.value else { throw JSONFault(.record, at: start) }
    try need(.id, in: members, at: start)
    try need(.table, in: members, at: start)
    if needsRevision { try need(.revision, in: members, at: start) }
    if let names = unknown.finish() { state.unknown = names }
    try finish(&parts, members, of: &state, at: start)
    return RecordMessage(key: key, state: state)
  }

  /// Passes a value that is read once more when what it depends on is known.
  private mutating func skipToLater() throws(JSONFault) -> Int {
    let start = offset
    try skipValue()
    return start
  }

  /// Reads what came too early, and puts origins and merge state to their fields.
  private mutating func finish(
    _ parts: inout RecordParts, _ members: JSONMembers, of state: inout RecordState, at start: Int
  ) throws(JSONFault) {
    let end = offset
    if let early = parts.fieldsOffset {
      offset = early
      state.fields = try fields(&parts.stamps)
    }
    try checkAllUsed(parts.stamps, at: start)
    if members.has(.origins) {
      try setOrigins(parts.origins, of: &state.fields, at: start)
    }
    while !cache.namedStamps.isEmpty { cache.namedStamps.removeLast() }
    if let early = parts.stateOffset {
      offset = early
      try mergeState(of: &state.fields)
    }
    offset = end
  }

  private mutating func fields(
    _ stamps: inout StampedNames
  ) throws(JSONFault) -> FieldMap<FieldState> {
    skipSpace()
    let start = offset
    var collector = FieldCollector<FieldState>(capacity: cache.fieldCount)
    var members = try openObject()
    while let name = try nextField(&members) {
      let stamp = try stamp(of: name, at: members.name, in: &stamps)
      collector.add(name, FieldState(value: try value(), stamp: stamp))
    }
    guard let fields = collector.finish() else { throw JSONFault(.duplicateName, at: start) }
    cache.fieldCount = min(fields.count, 64)
    return fields
  }

  private mutating func setOrigins(
    _ origins: StampedNames, of fields: inout FieldMap<FieldState>, at start: Int
  ) throws(JSONFault) {
    if let origin = origins.forAll {
      for index in 0..<fields.count { fields[position: index].origin = origin }
      return
    }
    for entry in try map(of: origins, at: start).entries {
      let (index, found) = fields.place(of: entry.name)
      guard found else { throw JSONFault(.noSuchField, at: start) }
      fields[position: index].origin = entry.value
    }
  }

  private mutating func mergeState(
    of fields: inout FieldMap<FieldState>
  ) throws(JSONFault) {
    var members = try openObject()
    while try nextName(&members) {
      note(members.name)
      let (index, found) = fields.place(of: Key(string(members.name)))
      guard found else { throw JSONFault(.noSuchField, at: members.name.start) }
      fields[position: index].merge = try raw()
    }
  }
}

/// Parts of a record that wait for others.
private struct RecordParts {
  var stamps = StampedNames()
  var origins = StampedNames()
  var fieldsOffset: Int?
  var stateOffset: Int?
}

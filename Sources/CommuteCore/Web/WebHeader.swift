/// What a call says beside the states it works on.
struct WebHeader {
  /// Which call it is.
  var call: Key = ""
  /// What an edit does: `create`, `change`, `seed`, `delete` or `withdraw`.
  var action: Key = ""
  /// The schema of the app.
  var schemaName: Key = ""
  var schemaVersion: UInt64 = 0
  var schemaText = ""
  /// The client's build and the device's name, for people.
  var build = ""
  var device = ""
  var owner = ""
  /// The device's wall clock, and how long a request took, in milliseconds.
  var wall: Int64 = 0
  var roundTrip: Int64 = 0
  /// Where random numbers come from.
  var random = OperationID(high: 0, low: 0)
  /// The record that a call is about.
  var table: Key = ""
  var id: RecordID?
  var feed: Key = ""
  var edits = FieldMap<FieldEdit>()
  /// How many operations, and how many bytes of an answer.
  var batch = 0
  var limit: UInt64 = 0
  /// The operations of the round under way.
  var round: [OperationID] = []
  /// What is kept outside the database.
  var host: HostRecord?
  var reason = ""
  /// The epoch known before the answer.
  var known: Epoch?
  /// What a conversation is told.
  var event: Key = ""
  var more = false
  var failure: RoundFailure?

  /// The table's schema; nil for a table that the app does not declare.
  func schema() throws(WebRefusal) -> Schema {
    try Schema(name: schemaName, version: schemaVersion, canonicalText: schemaText)
  }
}

extension JSONReader {
  /// Reads a header.
  mutating func webHeader() throws(JSONFault) -> WebHeader {
    var header = WebHeader()
    var members = try openObject()
    while try nextName(&members) {
      let name = members.name
      if try readText(name, into: &header) { continue }
      if try readNumber(name, into: &header) { continue }
      if isName(name, "edits") {
        header.edits = try edits()
      } else if isName(name, "round") {
        try openArray()
        var isFirst = true
        while try nextElement(isFirst: &isFirst) { header.round.append(try identifier()) }
      } else if isName(name, "host") {
        header.host = try skipNull() ? nil : hostRecord()
      } else if isName(name, "known") {
        header.known = try epoch()
      } else if isName(name, "failure") {
        header.failure = try roundFailure()
      } else if isName(name, "more") {
        header.more = try boolean()
      } else {
        try skipValue()
      }
    }
    return header
  }

  private mutating func readText(
    _ name: JSONText, into header: inout WebHeader
  ) throws(JSONFault) -> Bool {
    if isName(name, "call") {
      header.call = try key()
    } else if isName(name, "action") {
      header.action = try key()
    } else if isName(name, "schemaName") {
      header.schemaName = try key()
    } else if isName(name, "schemaText") {
      header.schemaText = try string()
    } else if isName(name, "build") {
      header.build = try label()
    } else if isName(name, "device") {
      header.device = try label()
    } else if isName(name, "owner") {
      header.owner = try label()
    } else if isName(name, "table") {
      header.table = try key()
    } else if isName(name, "id") {
      header.id = try identifier()
    } else if isName(name, "feed") {
      header.feed = try key()
    } else if isName(name, "reason") {
      header.reason = try string()
    } else if isName(name, "random") {
      header.random = try identifier()
    } else if isName(name, "event") {
      header.event = try key()
    } else {
      return false
    }
    return true
  }

  private mutating func readNumber(
    _ name: JSONText, into header: inout WebHeader
  ) throws(JSONFault) -> Bool {
    if isName(name, "schemaVersion") {
      header.schemaVersion = try unsigned()
    } else if isName(name, "wall") {
      header.wall = try integer()
    } else if isName(name, "roundTrip") {
      header.roundTrip = try integer()
    } else if isName(name, "batch") {
      header.batch = Int(clamping: try unsigned())
    } else if isName(name, "limit") {
      header.limit = try unsigned()
    } else {
      return false
    }
    return true
  }

  private mutating func hostRecord() throws(JSONFault) -> HostRecord {
    var host = HostRecord(replica: ReplicaID(rawValue: 0), number: 0)
    var members = try openObject()
    while try nextName(&members) {
      if isName(members.name, "replica") {
        host.replica = ReplicaID(rawValue: try digits())
      } else if isName(members.name, "number") {
        host.number = try unsigned()
      } else {
        try skipValue()
      }
    }
    return host
  }

  /// Reads edits by field, as `{"title":{"set":"Emma"},"tags":{"insert":["x"]}}`.
  private mutating func edits() throws(JSONFault) -> FieldMap<FieldEdit> {
    skipSpace()
    let start = offset
    var collector = FieldCollector<FieldEdit>()
    var members = try openObject()
    while let name = try nextField(&members) { collector.add(name, try edit()) }
    guard let edits = collector.finish() else { throw JSONFault(.duplicateName, at: start) }
    return edits
  }

  private mutating func edit() throws(JSONFault) -> FieldEdit {
    skipSpace()
    let start = offset
    var edit: FieldEdit?
    var inserted: [String] = []
    var removed: [String] = []
    var members = try openObject()
    while try nextName(&members) {
      if isName(members.name, "set") {
        edit = .set(try value())
      } else if isName(members.name, "resolve") {
        edit = .resolve(try value())
      } else if isName(members.name, "add") {
        edit = .add(try integer())
      } else if isName(members.name, "insert") {
        inserted = try texts()
        edit = .elements(insert: inserted, remove: removed)
      } else if isName(members.name, "remove") {
        removed = try texts()
        edit = .elements(insert: inserted, remove: removed)
      } else {
        throw JSONFault(.expected(.value), at: members.name.start)
      }
    }
    guard let edit else { throw JSONFault(.expected(.value), at: start) }
    return edit
  }

  private mutating func texts() throws(JSONFault) -> [String] {
    var texts: [String] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { texts.append(try fieldText()) }
    return texts
  }
}

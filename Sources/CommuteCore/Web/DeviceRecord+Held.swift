/// What a device holds of a record, as JSON in one row of the browser's database.
extension JSONWriter {
  /// Writes what is held of a record; null where nothing is left of it.
  mutating func held(_ record: DeviceRecord) {
    guard record.isHeld else { return append("null") }
    append("{\"table\":")
    text(record.key.table.text)
    append(",\"id\":")
    identifier(record.key.id)
    append(",\"feed\":")
    text(record.feed.text)
    if let base = record.base {
      append(",\"base\":")
      self.record(RecordMessage(key: record.key, state: base))
    }
    if !record.rows.isEmpty {
      append(",\"rows\":[")
      for row in record.rows {
        separate()
        held(row)
      }
      append(0x5D)
    }
    if let offer = record.offer {
      append(",\"offer\":{\"id\":")
      identifier(offer.id)
      append(",\"attempts\":")
      unsigned(UInt64(offer.attempts))
      append(",\"notBefore\":")
      time(offer.notBefore)
      append(",\"record\":")
      self.record(RecordMessage(key: record.key, state: offer.state))
      append(0x7D)
    }
    append(0x7D)
  }

  /// Writes a row of the outbox; the operation stands as its frozen bytes where it is in flight.
  mutating func held(_ row: OutboxRow) {
    append("{\"order\":")
    time(row.order)
    if row.isInFlight { append(",\"isInFlight\":true") }
    append(",\"attempts\":")
    unsigned(UInt64(row.attempts))
    append(",\"unanswered\":")
    unsigned(UInt64(row.unanswered))
    append(",\"notBefore\":")
    time(row.notBefore)
    append(",\"operation\":")
    operation(SyncRequest.SentOperation(operation: row.operation, bytes: row.bytes))
    append(0x7D)
  }

  /// Writes an entry of the inbox.
  mutating func held(_ rejection: Rejection) {
    append("{\"code\":")
    text(rejection.code.name.text)
    append(",\"message\":")
    text(rejection.message)
    append(",\"row\":")
    held(rejection.row)
    if let state = rejection.record {
      append(",\"record\":")
      record(RecordMessage(key: rejection.row.operation.key, state: state))
    }
    append(0x7D)
  }

  /// Writes what a screen shows of a record, and where it stands in line.
  mutating func shown(_ record: DeviceRecord) {
    append("{\"table\":")
    text(record.key.table.text)
    append(",\"id\":")
    identifier(record.key.id)
    append(",\"feed\":")
    text(record.feed.text)
    if !record.rows.isEmpty || record.offer != nil { place(of: record) }
    guard let view = record.view, view.deleted == nil else { return append(",\"isGone\":true}") }
    append(",\"fields\":{")
    for entry in view.fields.entries {
      name(entry.name)
      value(entry.value.value)
    }
    append("},\"changed\":[")
    for entry in view.fields.entries
    where record.rows.contains(where: { $0.operation.fields[entry.name] != nil }) {
      separate()
      text(entry.name.text)
    }
    append("]}")
  }

  private mutating func place(of record: DeviceRecord) {
    append(",\"line\":")
    time(record.rows.first?.order ?? 0)
    append(",\"due\":")
    time(record.rows.first?.notBefore ?? record.offer?.notBefore ?? 0)
    if let row = record.rows.first {
      append(",\"operation\":")
      identifier(row.operation.id)
      if row.isInFlight { append(",\"isInFlight\":true") }
    } else if let offer = record.offer {
      append(",\"operation\":")
      identifier(offer.id)
    }
  }
}

extension DeviceRecord {
  /// Whether anything is left to be kept.
  var isHeld: Bool { base != nil || !rows.isEmpty || offer != nil }
}

extension JSONReader {
  /// Reads what is held of a record.
  mutating func heldRecord() throws(JSONFault) -> DeviceRecord {
    var table: Key = ""
    var id = RecordID.zero
    var feed: Key = ""
    var base: RecordState?
    var rows: [OutboxRow] = []
    var offer: RecordOffer?
    var members = try openObject()
    while try nextName(&members) {
      let name = members.name
      if isName(name, "table") {
        table = try key()
      } else if isName(name, "id") {
        id = try identifier()
      } else if isName(name, "feed") {
        feed = try key()
      } else if isName(name, "base") {
        base = try record(needsRevision: false).state
      } else if isName(name, "rows") {
        try openArray()
        var isFirst = true
        while try nextElement(isFirst: &isFirst) { rows.append(try heldRow()) }
      } else if isName(name, "offer") {
        offer = try heldOffer()
      } else {
        try skipValue()
      }
    }
    return DeviceRecord(
      key: RecordKey(table: table, id: id), feed: feed, base: base, rows: rows, offer: offer)
  }

  private mutating func heldOffer() throws(JSONFault) -> RecordOffer {
    var offer = RecordOffer(id: OperationID(high: 0, low: 0), state: RecordState())
    var members = try openObject()
    while try nextName(&members) {
      if isName(members.name, "id") {
        offer.id = try identifier()
      } else if isName(members.name, "attempts") {
        offer.attempts = UInt32(clamping: try unsigned())
      } else if isName(members.name, "notBefore") {
        offer.notBefore = try integer()
      } else if isName(members.name, "record") {
        offer.state = try record(needsRevision: false).state
      } else {
        try skipValue()
      }
    }
    return offer
  }

  private mutating func heldRow() throws(JSONFault) -> OutboxRow {
    skipSpace()
    let start = offset
    var sent: SyncRequest.SentOperation?
    var order: Int64 = 0
    var isInFlight = false
    var attempts: UInt32 = 0
    var unanswered: UInt32 = 0
    var notBefore: Int64 = 0
    var members = try openObject()
    while try nextName(&members) {
      if isName(members.name, "order") {
        order = try integer()
      } else if isName(members.name, "isInFlight") {
        isInFlight = try boolean()
      } else if isName(members.name, "attempts") {
        attempts = UInt32(clamping: try unsigned())
      } else if isName(members.name, "unanswered") {
        unanswered = UInt32(clamping: try unsigned())
      } else if isName(members.name, "notBefore") {
        notBefore = try integer()
      } else if isName(members.name, "operation") {
        sent = try operation()
      } else {
        try skipValue()
      }
    }
    guard let sent else { throw JSONFault(.missing, at: start) }
    return OutboxRow(
      order: order, operation: sent.operation, isInFlight: isInFlight,
      bytes: isInFlight ? sent.bytes : [], attempts: attempts, unanswered: unanswered,
      notBefore: notBefore)
  }

  /// Reads an entry of the inbox.
  mutating func heldRejection() throws(JSONFault) -> Rejection {
    skipSpace()
    let start = offset
    var code = RejectionCode.other
    var message = ""
    var row: OutboxRow?
    var state: RecordState?
    var members = try openObject()
    while try nextName(&members) {
      if isName(members.name, "code") {
        code = RejectionCode(name: try key())
      } else if isName(members.name, "message") {
        message = try string()
      } else if isName(members.name, "row") {
        row = try heldRow()
      } else if isName(members.name, "record") {
        state = try record(needsRevision: false).state
      } else {
        try skipValue()
      }
    }
    guard let row else { throw JSONFault(.missing, at: start) }
    return Rejection(row: row, code: code, message: message, record: state)
  }
}

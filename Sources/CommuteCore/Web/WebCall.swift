/// The core as the browser calls it: functions from bytes to bytes that keep nothing.
///
/// A call is several values of JSON parted by U+001E, which no JSON holds: a header that names the
/// call, the device's state, and what else the call works on. The answer has the same form, with
/// its own header last. So a script reads rows inside one transaction of its database, calls, and
/// writes what comes back as it stands; a call that is refused, or that traps, has changed nothing.
///
/// | call | works on | gives |
/// |---|---|---|
/// | `open` | the device, or null | the device |
/// | `edit` | the device, a record or null | record, device |
/// | `begin` | the device, records in line | records, the request, device |
/// | `apply` | the device, an answer, records | records, inbox entries, device |
/// | `abandon` | the device, records of the round | records, device |
/// | `sweep`, `revoke` | the device, records | records, inbox entries, device |
/// | `offer` | the device, an answer, records | records, device |
/// | `lower` | the device, records, inbox entries | device |
/// | `retry`, `replace` | the device, a record or null, inbox entries | record, device |
/// | `restore` | the device, a conflict, a record or null | records, device |
/// | `refuse`, `postpone` | the device, a record in flight | record, inbox entries, device |
/// | `converse` | a conversation, or null | the conversation |
///
/// A record comes back as two pieces: what is held of it, and what a screen shows of it. The second
/// is empty where nothing lies over what the server told.
package enum WebCall {
  /// What parts the pieces of a call.
  static let separator: UInt8 = 0x1E

  /// Carries out a call.
  package static func answer(_ input: [UInt8]) -> [UInt8] {
    do throws(WebRefusal) {
      return try WebTask(input).carryOut()
    } catch {
      var writer = JSONWriter(capacity: 256)
      writer.append("{\"refused\":")
      writer.text(error.code.text)
      writer.append(",\"message\":")
      writer.text(error.message)
      writer.append(0x7D)
      return writer.bytes
    }
  }

  /// Reads one piece.
  static func read<Value>(
    _ piece: ArraySlice<UInt8>, _ body: (inout JSONReader) throws(JSONFault) -> Value
  ) throws(WebRefusal) -> Value {
    do throws(WireError) {
      return try WireEdge.read(Array(piece), limit: .answer, body)
    } catch {
      throw WebRefusal(error)
    }
  }
}

/// One call: what it says, and what it works on.
struct WebTask {
  var header: WebHeader
  /// The pieces behind the header.
  var pieces: [ArraySlice<UInt8>]
  var held = HeldDevice(
    device: Device(account: .local, clock: HybridClock(replica: ReplicaID(rawValue: 0))))
  var random: WebRandom
  var schema: Schema?

  init(_ input: [UInt8]) throws(WebRefusal) {
    pieces = input.split(separator: WebCall.separator, omittingEmptySubsequences: false)
    let first = pieces.removeFirst()
    header = try WebCall.read(first) { (reader) throws(JSONFault) in try reader.webHeader() }
    random = WebRandom(header.random)
  }

  /// Carries the call out.
  consuming func carryOut() throws(WebRefusal) -> [UInt8] {
    var output = WebOutput()
    switch header.call {
    case "converse":
      try converse(into: &output)
      return output.finish()
    case "open": try open()
    default: try begin(into: &output)
    }
    output.device(held)
    return output.finish()
  }

  /// The calls that work on a device.
  private mutating func begin(into output: inout WebOutput) throws(WebRefusal) {
    held = try WebCall.read(try piece(0)) { (reader) throws(JSONFault) in
      try reader.heldDevice()
    }
    schema = try header.schema()
    switch header.call {
    case "edit": try edit(into: &output)
    case "begin": try beginRound(into: &output)
    case "apply": try apply(into: &output)
    case "abandon": try abandon(into: &output)
    case "sweep", "revoke": try leave(into: &output)
    case "offer": try offer(into: &output)
    case "lower": try lower(into: &output)
    case "retry", "replace": try redo(into: &output)
    case "restore": try restore(into: &output)
    case "refuse", "postpone": try setAside(into: &output)
    default: throw WebRefusal(call: "this module has no call '\(header.call.text)'")
    }
  }

  /// A piece behind the header.
  func piece(_ index: Int) throws(WebRefusal) -> ArraySlice<UInt8> {
    guard index < pieces.count else { throw WebRefusal(call: "a piece of the call is missing") }
    return pieces[index]
  }

  /// Reads what is held of a record; nil where the piece is null.
  func record(_ index: Int) throws(WebRefusal) -> DeviceRecord? {
    let piece = try piece(index)
    if piece.elementsEqual("null".utf8) { return nil }
    var record = try WebCall.read(piece) { (reader) throws(JSONFault) in
      try reader.heldRecord()
    }
    record.table = schema?.tables[record.key.table]
    return record
  }

  /// Reads what is held of all records from a piece on.
  func records(from first: Int) throws(WebRefusal) -> [DeviceRecord] {
    var records: [DeviceRecord] = []
    for index in pieces.indices.dropFirst(first) {
      if let record = try record(index) { records.append(record) }
    }
    return records
  }

  /// What a local write needs.
  var context: WriteContext {
    WriteContext(clock: held.device.clock, wall: header.wall, schema: schema?.version ?? 0)
  }

  /// What the app says about itself.
  var build: Device.Build {
    Device.Build(
      schema: schema?.id ?? SchemaID(name: "", version: 0, hash: 0), build: header.build,
      device: header.device)
  }
}

/// The answer to a call as it grows.
struct WebOutput: ~Copyable {
  private var writer = JSONWriter(capacity: 4_096)
  /// The members of the header, without braces.
  private var header = JSONWriter(capacity: 256)
  /// The entries of the inbox, which come after all records.
  private var refused = JSONWriter(capacity: 64)
  private var recordCount: UInt64 = 0
  private var rejectionCount: UInt64 = 0

  private mutating func part() {
    if writer.count > 0 { writer.append(WebCall.separator) }
  }

  /// Adds what is held of a record, and what is shown.
  mutating func record(_ record: DeviceRecord) {
    part()
    writer.held(record)
    writer.append(WebCall.separator)
    writer.shown(record)
    recordCount += 1
  }

  /// Adds a record over which nothing of the device's own lies.
  mutating func told(_ message: RecordMessage, feed: Key) {
    part()
    writer.append("{\"table\":")
    writer.text(message.key.table.text)
    writer.append(",\"id\":")
    writer.identifier(message.key.id)
    writer.append(",\"feed\":")
    writer.text(feed.text)
    writer.append(",\"base\":")
    writer.record(message)
    writer.append(0x7D)
    writer.append(WebCall.separator)
    recordCount += 1
  }

  /// Adds an entry of the inbox.
  mutating func rejection(_ rejection: Rejection) {
    if rejectionCount > 0 { refused.append(WebCall.separator) }
    refused.held(rejection)
    rejectionCount += 1
  }

  /// Adds the bytes of a request.
  mutating func request(_ bytes: [UInt8]) {
    part()
    writer.append(bytes)
  }

  /// Adds what was refused, and the device's state.
  mutating func device(_ held: HeldDevice) {
    if rejectionCount > 0 {
      part()
      writer.append(refused.bytes)
    }
    part()
    writer.held(held)
  }

  /// Adds the state of a conversation.
  mutating func conversation(_ conversation: Conversation) {
    part()
    writer.held(conversation)
  }

  /// Adds a member of the header.
  mutating func note(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    header.append(",\"")
    header.append(name)
    header.append("\":")
    body(&header)
  }

  /// Adds a whole number to the header.
  mutating func note(_ name: StaticString, _ number: Int) {
    note(name) { $0.integer(Int64(number)) }
  }

  /// Adds a text to the header.
  mutating func note(_ name: StaticString, _ text: String) {
    note(name) { $0.text(text) }
  }

  /// Adds something that is so to the header.
  mutating func note(_ name: StaticString, if isSo: Bool) {
    if isSo { note(name) { $0.append("true") } }
  }

  /// Ends the answer with its header.
  consuming func finish() -> [UInt8] {
    part()
    writer.append("{\"records\":")
    writer.unsigned(recordCount)
    writer.append(",\"rejections\":")
    writer.unsigned(rejectionCount)
    writer.append(header.bytes)
    writer.append(0x7D)
    return writer.bytes
  }
}

import CommuteCore

extension InboxEntry {
  /// The entry as JSON: `operation` and `record` have the form that they have on the wire.
  ///
  /// Nothing is left out: the operation comes with what the person saw before, the record with all
  /// its fields.
  public var json: [UInt8] {
    var object = JSONObject()
    object.add("entry", number: id)
    object.add("refusedAt", number: refusedAt)
    object.add("code", text: code.name.text)
    object.add("message", text: message)
    object.add("operation", json: refused.encoded())
    if let record {
      object.add("record", json: RecordMessage(key: key, state: record).encodedJSON())
    }
    if let behind { object.add("behind", number: behind) }
    if !dependants.isEmpty {
      object.add("dependants", array: dependants.map(\.json))
    }
    return object.bytes
  }
}

extension RecordKey {
  /// The key as a JSON object.
  var json: [UInt8] {
    var object = JSONObject()
    object.add("table", text: table.text)
    object.add("id", text: id.text)
    return object.bytes
  }
}

extension Store {
  /// Everything that waits in both inboxes, as one JSON object, for keeping elsewhere.
  ///
  /// `refused` holds the refused operations (``InboxEntry/json``), `conflicts` the values that lost
  /// (``InboxConflict/json``).
  public func exportInbox() async throws(StoreError) -> [UInt8] {
    let account = try await device().account
    let name = try await deviceName()
    let entries = try await inbox()
    let conflicts = try await conflicts()
    var object = JSONObject()
    object.add("owner", text: account.owner)
    object.add("device", text: name)
    object.add("exportedAt", number: options.clock.wall())
    object.add("refused", array: entries.map(\.json))
    object.add("conflicts", array: conflicts.map(\.json))
    return object.bytes
  }
}

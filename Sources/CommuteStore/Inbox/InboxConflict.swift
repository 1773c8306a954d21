public import CommuteCore
import CommuteSQLite

/// A value of this device that lost to one whose writer had not seen it.
///
/// A person can restore it or let it go: ``Store/restore(_:)``, ``Store/dismiss(_:)``.
public struct InboxConflict: Hashable, Sendable, Identifiable {
  /// The number of the entry.
  public let id: Int64
  /// Which value lost, to what, under which rule, and when.
  public let conflict: ConflictEntry
  /// The feed of the record.
  public let feed: String
  /// The name of the device that wrote the value that was kept; nil where it is not known.
  public let keptOn: String?
}

extension InboxConflict {
  /// Lists the conflicts that are addressed to this device, the oldest first.
  static func all(on connection: Connection) throws(StoreError) -> [InboxConflict] {
    var names = NumberedNames()
    try names.load(from: connection)
    let devices = try connection.all("SELECT replica, name FROM c_replica WHERE name <> ''") {
      (row) throws(StoreError) in (row.text(0), row.text(1))
    }
    let nameOf = Dictionary(devices) { first, _ in first }
    let found = try connection.all(
      """
      SELECT c_conflict.entry, c_conflict.conflict, c_unknown.feed, c_unknown.state
      FROM c_conflict
      JOIN c_unknown ON c_unknown.tbl = \(ConflictEntry.table.text)
        AND c_unknown.id = c_conflict.conflict
      ORDER BY c_conflict.entry
      """
    ) { (row) throws(StoreError) -> InboxConflict? in
      let key = RecordKey(table: ConflictEntry.table, id: try row.recordID(1))
      let state = try row.unpacked(3) { (bytes) throws(StoreError) in
        try PackedState.unpack(bytes, names: names)
      }
      guard let conflict = ConflictEntry(key: key, state: state) else { return nil }
      return InboxConflict(
        id: row.int64(0), conflict: conflict, feed: row.text(2),
        keptOn: conflict.keptOrigin.flatMap { nameOf[$0.replica.text] })
    }
    return found.compactMap { $0 }
  }

  /// The conflict as JSON.
  public var json: [UInt8] {
    var object = JSONObject()
    object.add("entry", number: id)
    object.add("at", number: conflict.time)
    object.add("record", json: conflict.record.json)
    object.add("feed", text: feed)
    object.add("field", text: conflict.field.text)
    object.add("rule", text: conflict.rule.text)
    object.add("lost", json: conflict.lost.json)
    if let author = conflict.lostBy { object.add("lostBy", text: author) }
    if let kept = conflict.kept { object.add("kept", json: kept.json) }
    if let author = conflict.keptBy { object.add("keptBy", text: author) }
    if let keptOn { object.add("keptOn", text: keptOn) }
    return object.bytes
  }
}

/// A value that lost to one whose writer had not seen it, waiting for a person to look at it.
///
/// The server writes it as a record of the reserved table ``table`` in the feed of the record it is
/// about. It is addressed to the device whose value lost; others pass it over. Restoring it is a
/// new write of the lost value, dismissing it deletes the record.
public struct ConflictEntry: Hashable, Sendable {
  /// The table of conflicts.
  public static let table: Key = "c_conflict"

  /// The id of the conflict's own record.
  public var id: RecordID
  /// The record in which the value lost.
  public var record: RecordKey
  /// The field in which it lost.
  public var field: Key
  /// The name of the field's rule.
  public var rule: Key
  /// The value that lost.
  public var lost: FieldValue
  /// The stamp that the lost value's writer gave it.
  public var lostOrigin: Stamp
  /// The user who wrote the lost value, where the server knew it.
  public var lostBy: String?
  /// The value that was kept; nil where the record had been deleted.
  public var kept: FieldValue?
  /// The stamp that the kept value's writer gave it.
  public var keptOrigin: Stamp?
  /// The user who wrote the kept value, where the server knew it.
  public var keptBy: String?
  /// When the server found it, in milliseconds since 1970.
  public var time: Int64
  /// The replica ids of the device whose value lost.
  public var replicas: [ReplicaID]

  /// The id of the conflict about a value: the same however often it is found.
  public static func id(of record: RecordKey, field: Key, losing origin: Stamp) -> RecordID {
    var bytes = Array(record.table.text.utf8) + [0] + record.id.bytes
    bytes += Array(field.text.utf8) + [0]
    origin.appendText(to: &bytes)
    return RecordID.derived(namespace: "commute.conflict", bytes: bytes)
  }

  /// Whether it concerns a device: one of its replica ids wrote the value that lost.
  public func isAddressed(to device: Device) -> Bool {
    replicas.contains { $0 == device.replica || device.earlierReplicas.contains($0) }
  }

  /// The edit that writes the lost value once more; where it may be counted twice, the one that
  /// takes the second count back.
  public var restoring: FieldEdit {
    #if PLANTED
      if Planted.isActive(.conflictRestoresKept), let kept { return .set(kept) }
    #endif
    if kept != nil, mayBeCountedTwice, case .integer(let once) = lost,
      case .integer(let twice)? = kept
    {
      let (amount, overflow) = once.subtractingReportingOverflow(twice)
      return overflow ? .set(lost) : .add(amount)
    }
    return .set(lost)
  }
}

extension ConflictEntry {
  /// Reads a conflict from its record; nil where it was dismissed or is none.
  public init?(key: RecordKey, state: RecordState) {
    guard key.table == Self.table, state.deleted == nil,
      let table = state.text("table"), let id = state.text("record"),
      let record = RecordID(text: id), let field = state.text("field"),
      let rule = state.text("rule"), let lost = state.fields["lost"],
      case .instant(let time)? = state.fields["time"]?.value,
      case .list(let devices)? = state.fields["devices"]?.value
    else { return nil }
    let kept = state.fields["kept"]
    self.init(
      id: key.id, record: RecordKey(table: Key(table), id: record), field: Key(field),
      rule: Key(rule), lost: lost.value, lostOrigin: lost.origin, lostBy: state.text("lostBy"),
      kept: kept?.value, keptOrigin: kept?.origin, keptBy: state.text("keptBy"), time: time,
      replicas: devices.compactMap { ReplicaID(text: $0) })
  }

  /// The conflict's record; `lost` and `kept` carry their own stamps, so that a reader can name the
  /// devices that wrote them.
  func state(lost lostStamp: Stamp, kept keptStamp: Stamp?) -> RecordState {
    var fields = values.mapValues { FieldState(value: $0, stamp: lostStamp) }
    fields["lost"] = FieldState(value: lost, stamp: lostStamp, origin: lostOrigin)
    if let kept, let keptStamp {
      fields["kept"] = FieldState(value: kept, stamp: keptStamp, origin: keptOrigin)
    }
    return RecordState(fields: fields)
  }

  /// The values of the conflict's record, by field.
  public var values: FieldMap<FieldValue> {
    var values: FieldMap<FieldValue> = [
      "devices": .list(replicas.map { $0.text }), "field": .text(field.text),
      "record": .text(record.id.text), "rule": .text(rule.text),
      "table": .text(record.table.text), "time": .instant(time),
    ]
    if let lostBy { values["lostBy"] = .text(lostBy) }
    if let keptBy { values["keptBy"] = .text(keptBy) }
    values["lost"] = lost
    if let kept { values["kept"] = kept }
    return values
  }

  /// Whether both say the same; texts are compared by their bytes.
  public static func == (left: ConflictEntry, right: ConflictEntry) -> Bool {
    left.id == right.id && left.record == right.record && left.field == right.field
      && left.rule == right.rule && left.lost == right.lost && left.kept == right.kept
      && left.lostOrigin == right.lostOrigin && left.keptOrigin == right.keptOrigin
      && left.lostBy.map { Key($0) } == right.lostBy.map { Key($0) }
      && left.keptBy.map { Key($0) } == right.keptBy.map { Key($0) }
      && left.time == right.time && left.replicas == right.replicas
  }

  /// Feeds the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension RecordState {
  fileprivate func text(_ name: Key) -> String? {
    guard case .text(let text)? = fields[name]?.value else { return nil }
    return text
  }
}

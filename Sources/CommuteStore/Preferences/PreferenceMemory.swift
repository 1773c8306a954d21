import CommuteCore
import CommuteSQLite

/// What is set, kept in memory so that reading a setting waits for nothing.
final class PreferenceMemory: Sendable {
  /// The values by name, apart for each reach.
  struct Values: Sendable {
    var device = FieldMap<FieldValue>()
    var account = FieldMap<FieldValue>()

    /// The value of a setting; nil where nobody has set it.
    func value(_ name: String, _ reach: PreferenceReach) -> FieldValue? {
      switch reach {
      case .device: device[Key(name)]
      case .account: account[Key(name)]
      }
    }
  }

  private struct Kept {
    var values = Values()
    /// Whether the writer took over a state since reading began, which is then the newer one.
    var isOvertaken = false
  }

  private let kept = Locked(Kept())

  /// Takes over what the writer read, which nobody has a newer state than.
  func replace(with fresh: Values) {
    kept.withLock { kept in
      kept.values = fresh
      kept.isOvertaken = true
    }
  }

  /// Notes that the thread that follows other processes is about to begin a state to read in.
  func beginReading() {
    kept.withLock { $0.isOvertaken = false }
  }

  /// Takes over what was read in the state begun last, unless the writer took over one since.
  ///
  /// Without that, a state from before a setting was set here could come back after the call that
  /// set it has returned.
  ///
  /// - Returns: Whether it was taken over; where not, it is to be read again.
  func take(read: Values) -> Bool {
    kept.withLock { kept in
      guard !kept.isOvertaken else { return false }
      kept.values = read
      return true
    }
  }

  /// The value of a setting; nil where nobody has set it.
  func value(_ name: String, _ reach: PreferenceReach) -> FieldValue? {
    kept.withLock { $0.values.value(name, reach) }
  }
}

extension PreferenceMemory.Values {
  /// Reads everything that is set.
  static func load(
    from connection: Connection, names: NumberedNames, account: Account
  ) throws(StoreError) -> PreferenceMemory.Values {
    var values = PreferenceMemory.Values()
    let device = try connection.all("SELECT name, value FROM c_preference") {
      (row) throws(StoreError) in
      let value = try row.unpacked(1) { (bytes) throws(StoreError) -> FieldValue in
        var reader = Unpacker(bytes)
        return try reader.value()
      }
      return (name: Key(row.text(0)), value: value)
    }
    for entry in device { values.device[entry.name] = entry.value }
    let key = PreferenceRecord.key(of: account)
    let state = try connection.first(
      "SELECT state FROM c_unknown WHERE tbl = \(key.table.text) AND id = \(key.id)"
    ) { (row) throws(StoreError) in
      try row.unpacked(0) { (bytes) throws(StoreError) in
        try PackedState.unpack(bytes, names: names)
      }
    }
    guard let state, state.deleted == nil else { return values }
    for entry in state.fields.entries { values.account[entry.name] = entry.value.value }
    return values
  }
}

extension WriterCore {
  /// Takes over into memory what is set; where that cannot be read, memory stays as it is.
  func loadPreferences() {
    let account = state.device.account
    let values = try? PreferenceMemory.Values.load(
      from: connection, names: names, account: account)
    if let values { preferences.replace(with: values) }
  }

  /// Sets a setting of this device; nil forgets it.
  func setLocal(_ name: String, _ value: FieldValue?) throws(StoreError) {
    try speaking { () throws(SQLiteError) in
      guard let value else {
        try connection.run("DELETE FROM c_preference WHERE name = \(name)")
        return
      }
      var packer = Packer()
      packer.put(value)
      try connection.run(
        "INSERT OR REPLACE INTO c_preference(name, value) VALUES (\(name), \(packer.bytes))")
    }
    state.preferencesChanged = true
    note(engine: "c_preference")
  }

  /// Sets a setting of the account, which is queued like any change.
  func setSynced(_ values: FieldMap<FieldValue>) throws(StoreError) {
    let key = PreferenceRecord.key(of: state.device.account)
    var loaded = try loadUnknown(key, feed: PreferenceRecord.feed)
    var context = context
    do throws(WriteRefusal) {
      if loaded.record.view == nil {
        try loaded.record.create(values, operation: newOperation(), context: &context)
      } else {
        try loaded.record.change(values, operation: newOperation(), context: &context)
      }
    } catch {
      throw .refused(error)
    }
    try write(loaded, context)
  }

  /// Gives what was set without an account to the one that took the file over.
  ///
  /// A file without an account has never heard of a server: nothing of it was sent.
  func adoptPreferences() throws(StoreError) {
    let account = state.device.account
    guard options.syncsPreferences, account != .local else { return }
    let key = PreferenceRecord.key(of: .local)
    guard try unknown(key) != nil else { return }
    try begin(.full, waits: true)
    do throws(StoreError) {
      if let own = try unknown(key)?.state {
        try setSynced(own.fields.mapValues(\.value))
        try save([], was: try rows(of: key).rows)
        try deleteUnknown(key)
      }
    } catch {
      rollback()
      throw error
    }
    try commit(writes: 1)
  }
}

import CommuteCore
import CommuteSQLite
import Synchronization

/// The settings of a store: typed, on this device or for the whole account.
///
/// ```swift
/// let size = store.preferences[.largeText]            // from memory: waits for nothing
/// try await store.preferences.set(.theme, to: "dark")
/// for try await theme in store.preferences.values(of: .theme) { apply(theme) }
/// ```
/// Settings that this version does not know, such as a newer app's, are kept.
public struct Preferences: Sendable {
  let store: Store

  /// The value of a setting, from memory.
  ///
  /// What was set here is seen when the call that set it has returned. What another device or
  /// process sets is seen when it arrives in the file and is noticed there, within
  /// ``StoreOptions/pollMilliseconds``.
  public subscript<Value>(key: PreferenceKey<Value>) -> Value {
    key.value(of: store.opening.preferences.value(key.name, key.reach))
  }

  /// Sets a setting.
  ///
  /// - Throws: What ``WriteTransaction/set(_:to:)`` throws.
  public func set<Value>(_ key: PreferenceKey<Value>, to value: Value) async throws {
    try await store.write { tx in try tx.set(key, to: value) }
  }

  /// Takes a setting back to its default.
  public func reset<Value>(_ key: PreferenceKey<Value>) async throws {
    try await store.write { tx in try tx.reset(key) }
  }

  /// The value of a setting, now and whenever it changes, wherever it was set.
  public func values<Value>(of key: PreferenceKey<Value>) -> StoreValues<Value> {
    store.values { tx in try tx.preference(key) }
  }
}

extension Store {
  /// The settings.
  ///
  /// From the first use on, other processes are looked for, so that what they set is seen.
  public var preferences: Preferences {
    followPreferences()
    return Preferences(store: self)
  }

  /// Sees to it once that memory follows what other processes set.
  private func followPreferences() {
    let first = followsPreferences.compareExchange(
      expected: false, desired: true, ordering: .acquiringAndReleasing)
    guard first.exchanged else { return }
    let memory = opening.preferences
    let account = options.account
    let observers = observers
    let observer = Observers.Observer {
      memory.beginReading()
    } serve: { session, _ in
      let read = try? session.noting { () throws(StoreError) in
        for table in Preferences.tables { session.noteRead(of: table) }
        var names = NumberedNames()
        try names.load(from: session.connection)
        return try PreferenceMemory.Values.load(
          from: session.connection, names: names, account: account)
      }
      guard let read else { return .failed }
      guard memory.take(read: read.result) else {
        observers.due()
        return .failed
      }
      return .looked(at: read.region)
    } end: { _ in
    }
    _ = observers.add(observer)
  }
}

extension Preferences {
  /// The engine's tables in which settings lie.
  static let tables = ["c_preference", "c_unknown"]
}

extension StoreReader where Self: ~Copyable {
  /// The value of a setting as this transaction sees it.
  public borrowing func preference<Value>(
    _ key: PreferenceKey<Value>
  ) throws(StoreError) -> Value {
    for table in Preferences.tables { session.noteRead(of: table) }
    var names = NumberedNames()
    try names.load(from: session.connection)
    let owner = try session.connection.first("SELECT owner FROM c_meta") {
      (row) throws(StoreError) in row.text(0)
    }
    let values = try PreferenceMemory.Values.load(
      from: session.connection, names: names,
      account: owner.flatMap { Account(owner: $0) } ?? .local)
    return key.value(of: values.value(key.name, key.reach))
  }
}

extension WriteTransaction {
  /// Sets a setting, together with whatever else the transaction writes.
  ///
  /// - Throws: ``StoreError/value(table:column:problem:)`` for a value that cannot be kept,
  ///   ``StoreError/declaration(reason:)`` for a name that cannot be one, and for a setting of the
  ///   account where the store does not sync them.
  public borrowing func set<Value>(
    _ key: PreferenceKey<Value>, to value: Value
  ) throws(StoreError) {
    let stored = value.fieldValue
    if let problem = stored.problem {
      throw .value(table: PreferenceRecord.table.text, column: key.name, problem: problem)
    }
    try put(key, stored)
  }

  /// Takes a setting back to its default.
  public borrowing func reset<Value>(_ key: PreferenceKey<Value>) throws(StoreError) {
    try put(key, nil)
  }

  private borrowing func put<Value>(
    _ key: PreferenceKey<Value>, _ value: FieldValue?
  ) throws(StoreError) {
    try key.checkName()
    switch key.reach {
    case .device: try core.setLocal(key.name, value)
    case .account:
      guard core.options.syncsPreferences else {
        throw .declaration(
          reason: "the setting \(key.name) is to be synced and this store syncs none; open it with"
            + " StoreOptions.syncsPreferences")
      }
      try core.setSynced([Key(key.name): value ?? .null])
    }
  }
}

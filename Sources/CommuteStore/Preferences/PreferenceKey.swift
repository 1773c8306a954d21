import CommuteCore

/// One setting: its name, its type, what it is where nobody has set it, and how far it reaches.
///
/// ```swift
/// extension PreferenceKey where Value == Bool {
///   static let largeText = PreferenceKey("largeText", default: false)
/// }
/// extension PreferenceKey where Value == String {
///   static let theme = PreferenceKey("theme", default: "light", reach: .account)
/// }
/// ```
public struct PreferenceKey<Value: ColumnValue & Equatable>: Sendable {
  /// The name in the file, and for synced ones on the wire; never change it.
  public let name: String
  /// What is read where nobody has set it, or set it to what this version does not understand.
  public let defaultValue: Value
  /// How far it reaches.
  public let reach: PreferenceReach

  /// Declares a setting.
  ///
  /// A name takes letters, digits, `_`, `-` and `.`, at most 128 of them; another one is refused
  /// when it is set.
  public init(_ name: String, default value: Value, reach: PreferenceReach = .device) {
    self.name = name
    defaultValue = value
    self.reach = reach
  }

  /// What a value that was set, or none, means.
  func value(of stored: FieldValue?) -> Value {
    stored.flatMap { Value(fieldValue: $0) } ?? defaultValue
  }

  /// Refuses a name that cannot be one.
  func checkName() throws(StoreError) {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    guard isPlain, (1...128).contains(name.utf8.count) else {
      throw .declaration(
        reason: "'\(name)' cannot name a setting; use letters, digits, _, - and ., at most 128")
    }
  }
}

/// How far a setting reaches.
public enum PreferenceReach: Hashable, Sendable {
  /// It stays on this device.
  case device
  /// All devices of the account have it; needs ``StoreOptions/syncsPreferences``.
  case account
}

/// The record in which the settings of an account are synced: one field a setting, so that two
/// devices that set different ones both keep theirs.
enum PreferenceRecord {
  /// The table of the record; no app declares it, so that unknown settings are kept like any.
  static let table: Key = "preferences"
  /// The feed it lies in.
  static let feed: Key = "preferences"

  /// The same on every device of an account.
  static func key(of account: Account) -> RecordKey {
    RecordKey(
      table: table,
      id: RecordID.derived(namespace: "commute.preferences", bytes: Array(account.owner.utf8)))
  }
}

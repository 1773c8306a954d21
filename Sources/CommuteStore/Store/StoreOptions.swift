public import CommuteCore

/// What a store takes from the world around it; the defaults are the real one.
public struct StoreOptions: Sendable {
  /// Whose data the file holds; checked against what is stamped inside.
  public var account: Account
  /// The name of the app's schema.
  public var schemaName: String
  /// Its version: raise it whenever a table or column is added.
  public var schemaVersion: UInt64
  /// What the server is told about the client's build.
  public var build: String
  /// A name people know the device by; nil leaves what the file says.
  public var deviceName: String?
  /// Where time comes from.
  public var clock: StoreClock
  /// What random ids are drawn from; nil for the system's generator.
  public var randomSeed: UInt64?
  /// Where the record outside the database is kept; nil keeps none, and every open takes a new
  /// replica id.
  public var hostDirectory: String?
  /// Whether a new file is made even where a device was used before and its file is lost.
  public var startsAnew: Bool
  /// Whether the store is opened for reading only, as by a widget or an extension beside the app.
  ///
  /// Nobody is waited for, nothing is written, and writes throw ``StoreError/openedForReading``.
  public var isReadOnly: Bool
  /// Asked for the key of an encrypted database; nil for one that is not encrypted.
  ///
  /// It is asked whenever a connection is opened, on whatever thread opens it. See ``StoreKey``.
  public var key: (@Sendable () throws -> StoreKey)?
  /// Whether settings of the account are synced, in a record of the feed `preferences`.
  ///
  /// Whoever may read that feed of the tenant can read them.
  public var syncsPreferences: Bool
  /// How many threads read at once.
  public var readerCount: Int
  /// How long a write waits for another process, in milliseconds.
  public var busyMilliseconds: Int
  /// The most pages the database may have; for tests of a full disk.
  public var pageLimit: Int?
  /// How often other processes are looked for while something is observed, in milliseconds.
  public var pollMilliseconds: Int
  /// Called at each point where a crash is worth trying.
  public var onPoint: (@Sendable (StorePoint) -> Void)?

  /// Makes options; what is not given is real.
  public init(
    account: Account = .local, schemaName: String = "app", schemaVersion: UInt64 = 1,
    build: String = "commute", deviceName: String? = nil
  ) {
    self.account = account
    self.schemaName = schemaName
    self.schemaVersion = schemaVersion
    self.build = build
    self.deviceName = deviceName
    clock = .system
    hostDirectory = HostFile.defaultDirectory
    startsAnew = false
    isReadOnly = false
    syncsPreferences = false
    readerCount = 3
    busyMilliseconds = 5_000
    pollMilliseconds = 250
  }
}

/// The points of a store's work at which a crash leaves different things behind.
public enum StorePoint: String, Hashable, Sendable, CaseIterable {
  /// Before a transaction begins.
  case beforeTransaction
  /// After its statements, before the commit.
  case insideTransaction
  /// After the commit, before anyone is told.
  case afterCommit
  /// After the commit that marks operations in flight, before the record outside is written.
  case roundMarked
  /// After the record outside is written, before anything is sent.
  case hostRecordWritten
  /// In the middle of applying an answer: verdicts are applied, records are not.
  case verdictsApplied
  /// After an answer's records and cursors, before the commit.
  case answerApplied
  /// Before the log is copied into the database.
  case beforeCheckpoint
  /// After it.
  case afterCheckpoint
}

/// How safe a write is when the call returns.
public enum Durability: Hashable, Sendable {
  /// It survives the death of the process; power loss may take the last moments.
  case normal
  /// It survives power loss.
  case full
}

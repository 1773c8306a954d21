package import CommuteSQLite

/// How a server's store on SQLite is set up.
public struct ServerSQLiteSettings: Sendable {
  /// How many threads read pages.
  public var readerCount = 2
  /// How many requests share a transaction at most.
  public var groupLimit = 128
  /// How many requests wait at most; further ones are told to come back.
  public var waitingLimit = 4_096
  /// The most bytes of stored records, and of operations on them, that one request settles: half
  /// of what an answer may have.
  ///
  /// Verdicts may carry records, so a small request could ask for an answer of any size. The
  /// operations beyond are told to come later.
  public var touchedBytesLimit = 8 << 20
  /// For how long after a history ended its records are taken from devices that were ahead of a
  /// backup, in milliseconds; as long as deletions are remembered.
  public var retention = ServerDatabase.usualRetention
  /// After about how many pages in the log it is copied back into the database.
  public var pagesPerCheckpoint = 4_000
  /// Called on the writer's thread at each point of a transaction.
  public var hook: (@Sendable (StorePoint) -> Void)?
  /// Called with the writer's connection right after it was opened: for tests that limit it.
  package var whenOpened: (@Sendable (Connection) throws(SQLiteError) -> Void)?

  /// Makes the settings with their defaults.
  public init() {}
}

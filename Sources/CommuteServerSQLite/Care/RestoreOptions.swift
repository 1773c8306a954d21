import CommuteCore
public import CommuteServer

/// How a backup is put back.
public struct RestoreOptions: Hashable, Sendable {
  /// Whether records may come back whose deletion is no longer remembered.
  public var acceptsResurrection = false
  /// For how long deletions are remembered, in milliseconds.
  public var retention = ServerDatabase.usualRetention

  /// Makes the options with their defaults.
  public init() {}
}

/// What a restore made.
public struct RestoreReport: Hashable, Sendable {
  /// The server, and the stretch of history that begins.
  public var identity: ServerIdentity
  /// How many milliseconds old the backup is.
  public var age: Int64
  /// Where the database went that was there before; nil where there was none.
  public var replaced: String?
  /// How many records the server holds that are not deleted.
  public var records: Int64
}

extension ServerDatabase {
  /// How long deletions are remembered where nobody says otherwise: 90 days.
  public static let usualRetention = Purge.defaultRetention
}

import CommuteCore

/// How a purge is made.
public struct PurgeOptions: Hashable, Sendable {
  /// For how long deletions and the memory of operations are kept, in milliseconds.
  public var retention = ServerDatabase.usualRetention
  /// How many rows a transaction looks at; whoever serves the file waits no longer than one takes.
  public var rowsAtOnce = 1_000
  /// How long others get between two transactions.
  public var pause = Duration.milliseconds(5)

  /// Makes the options with their defaults.
  public init() {}
}

/// What a purge did, or has done so far.
public struct PurgeReport: Hashable, Sendable {
  /// Deleted records of which only the id is left now.
  public var tombstones = 0
  /// Records from whose sets old removals went; they have a new revision.
  public var pruned = 0
  /// Deleted records that are old enough but wait for a device that has not read their deletion.
  public var waiting = 0
  /// Replicas that were retired now: unseen for longer than the retention time.
  public var retired = 0
  /// Memories of applied operations that went.
  public var operations = 0
  /// Memories of stamps from the future that went.
  public var restamps = 0

  /// Makes a report of nothing.
  public init() {}
}

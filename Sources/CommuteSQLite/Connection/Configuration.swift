/// How a database is opened.
public struct Configuration: Sendable {
  /// What the connection may do with the file.
  public enum Mode: Hashable, Sendable {
    /// The file must exist and may not be changed.
    case readOnly
    /// The file must exist.
    case readWrite
    /// The file is made, readable by its owner only, where there is none.
    case create
  }

  /// How a transaction is made safe against a crash while it is written.
  public enum Journal: Hashable, Sendable {
    /// A write-ahead log: readers go on while one connection writes.
    case writeAheadLog
    /// A rollback journal; one file is left afterwards, good for a copy to hand on.
    case rollback
    /// Whatever the file already uses.
    case unchanged
  }

  /// What the connection may do with the file.
  public var mode: Mode
  /// How a transaction is made safe; has no effect on databases in memory.
  public var journal = Journal.writeAheadLog
  /// When a commit is on the disk, where a transaction does not say.
  public var synchronous = Synchronous.normal
  /// How long a call waits for a lock held by another connection.
  public var busyMilliseconds: Int32 = 5_000
  /// How much memory the page cache may take.
  public var cacheKibibytes = 2_048
  /// After how many pages in the log a commit also runs a checkpoint; 0 leaves it to the caller.
  public var checkpointPages = 1_000
  /// Runs right after opening, before the file is read: the place for `PRAGMA key`.
  public var whenOpened: (@Sendable (Connection) throws(SQLiteError) -> Void)?

  /// A configuration with the defaults: write-ahead log, synchronous normal.
  public init(_ mode: Mode = .create) {
    self.mode = mode
  }
}

/// When a commit has reached the disk.
public enum Synchronous: Int32, Hashable, Sendable {
  /// Never by SQLite's own doing: a power cut may damage the database.
  case off = 0
  /// With the next checkpoint: a power cut may lose the last commits, but damages nothing.
  case normal = 1
  /// Before the commit returns.
  case full = 2
}

/// Where a database lives.
public enum Location: Hashable, Sendable {
  /// A file at this path.
  case file(String)
  /// In memory, for one connection.
  case memory
  /// In memory, for all connections of this process that give the same name.
  case sharedMemory(String)

  /// The name to use in messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .memory: ":memory:"
    case .sharedMemory(let name): ":memory:\(name)"
    }
  }
}

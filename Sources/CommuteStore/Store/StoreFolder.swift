import CommuteCore

/// The folder of one store: the database, and the files beside it; nothing for one in memory.
struct StoreFolder: Sendable {
  /// The name of the database in its folder.
  static let databaseName = "commute.db"

  let path: String
  let writerLock: SideLock
  let syncLock: SideLock
  let host: HostFile?
  /// Whether there are no files at all.
  let isMemory: Bool

  /// The place of a store in memory.
  static let memory = StoreFolder()

  private init() {
    path = ":memory:"
    writerLock = SideLock()
    syncLock = SideLock()
    host = nil
    isMemory = true
  }

  /// Makes the folder where there is none and opens what lies beside the database.
  init(_ path: String, hostDirectory: String?) throws(StoreError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .unreadable(path: path, reason: "it is not a path")
    }
    try PrivateFolder.make(path)
    self.path = path
    writerLock = try SideLock("\(path)/writer.lock")
    syncLock = try SideLock("\(path)/sync.lock")
    host = hostDirectory.map { HostFile(directory: $0, database: path) }
    isMemory = false
  }

  var database: String { isMemory ? path : "\(path)/\(Self.databaseName)" }

  /// Where connections go.
  func place(_ options: StoreOptions) -> DatabasePlace {
    DatabasePlace(location: isMemory ? .memory : .file(database), key: options.key)
  }

  /// Refuses to take a device whose file was lost for a new one.
  ///
  /// SQLite would throw a log away that has no database, so that one stops even who starts anew.
  func requireDatabase(startsAnew: Bool) throws(StoreError) {
    if isMemory { return }
    let size = PrivateFolder.size(of: database)
    guard (size ?? 0) == 0 else { return }
    guard (PrivateFolder.size(of: database + "-wal") ?? 0) == 0 else {
      throw .missing(path: database, loss: .onlyLogLeft)
    }
    guard host?.exists == true, !startsAnew else { return }
    throw .missing(path: database, loss: size == nil ? .removed : .emptied)
  }
}

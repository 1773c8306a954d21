import CommuteCore

/// The folder of one store: the database, and the files beside it.
struct StoreFolder: Sendable {
  /// The name of the database in its folder.
  static let databaseName = "commute.db"

  let path: String
  let writerLock: SideLock
  let syncLock: SideLock
  let host: HostFile?

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
  }

  var database: String { "\(path)/\(Self.databaseName)" }
}

import CommuteCore
import CommuteServer
import CommuteSQLite

/// The one row that says who the server is.
struct ServerMeta: Hashable, Sendable {
  /// The id that stays for good.
  var server: UInt64
  /// The stretch of history that is written.
  var epoch: Epoch
  /// The server's own writing identity; renewed with the epoch.
  var replica: ReplicaID
  /// The packed time of the latest stamp issued.
  var clock: UInt64
  /// When the file was copied as a backup, in milliseconds; nil in a file that may be served.
  var backup: Int64?

  /// Who the server is, for devices.
  var identity: ServerIdentity { ServerIdentity(server: server, epoch: epoch) }

  /// Draws a new one.
  static func new(using generator: inout some RandomNumberGenerator) -> ServerMeta {
    ServerMeta(
      server: generator.next(), epoch: Epoch(rawValue: generator.next()),
      replica: ReplicaID.random(using: &generator), clock: 0)
  }
}

extension Connection {
  /// Reads the row; nil in a database that was just made.
  func loadMeta() throws(SQLiteError) -> ServerMeta? {
    try statement("SELECT server, epoch, replica, clock, backup FROM meta").first {
      (row) throws(SQLiteError) in
      ServerMeta(
        server: row.uint64(0), epoch: Epoch(rawValue: row.uint64(1)),
        replica: ReplicaID(rawValue: row.uint64(2)), clock: row.uint64(3),
        backup: row.isNull(4) ? nil : row.int64(4))
    }
  }

  /// Writes the row of a new database.
  func insertMeta(_ meta: ServerMeta, time: Int64) throws(SQLiteError) {
    let insert = try statement(
      """
      INSERT INTO meta(schema, server, epoch, replica, clock, began) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    insert.bind(Int64(ServerSchema.version), at: 1)
    insert.bind(meta.server, at: 2)
    insert.bind(meta.epoch.rawValue, at: 3)
    insert.bind(meta.replica.rawValue, at: 4)
    insert.bind(meta.clock, at: 5)
    insert.bind(time, at: 6)
    try insert.run()
  }

  /// Writes that another stretch of history begins, under another writing identity.
  func saveHistory(_ meta: ServerMeta) throws(SQLiteError) {
    let update = try statement("UPDATE meta SET epoch = ?1, replica = ?2, backup = NULL")
    update.bind(meta.epoch.rawValue, at: 1)
    update.bind(meta.replica.rawValue, at: 2)
    try update.run()
  }

  /// Marks the file as a copy that is not to be served as it is.
  func markAsBackup(time: Int64) throws(SQLiteError) {
    let update = try statement("UPDATE meta SET backup = ?1")
    update.bind(time, at: 1)
    try update.run()
  }

  /// Saves how far the clock has come.
  func saveClock(_ clock: UInt64) throws(SQLiteError) {
    let update = try statement("UPDATE meta SET clock = ?1")
    update.bind(clock, at: 1)
    try update.run()
  }
}

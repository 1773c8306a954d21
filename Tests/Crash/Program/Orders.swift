/// What a device is told when it is started.
struct DeviceOrder: Codable {
  /// How a device lives.
  enum Manner: String, Codable {
    /// It syncs now and then, between two writes.
    case inTurn
    /// It syncs whenever something was written, while it goes on writing.
    case atOnce
    /// It writes nothing and syncs until nothing is left.
    case settling
  }

  /// The folder of its database.
  var directory: String
  /// The folder of the record outside of it.
  var hosts: String
  /// The server's address.
  var server: String
  /// Which of the devices it is: the column that only it writes.
  var slot: Int
  var seed: UInt64
  /// The number of its first write.
  var sequence: Int
  /// After how many steps it ends; nil for never.
  var steps: Int?
  var manner: Manner
  /// How many milliseconds its wall clock is ahead; another number in each life.
  var skew: Int64 = 0
  /// When it kills itself.
  var charge: Fuse.Charge?
  var plant: Plant?
}

/// What a server is told when it is started.
struct ServerOrder: Codable {
  /// Its database.
  var file: String
  /// The port it listens at.
  var port: UInt16
  var plant: Plant?
}

/// What the process is told that fills a server with books.
struct WriterOrder: Codable {
  var server: String
  /// How many books.
  var records: Int
}

/// What the device is told that reads all books of a server.
struct ReaderOrder: Codable {
  var directory: String
  var server: String
}

/// What the process is told that restores or purges a server's database.
struct CareOrder: Codable {
  /// The database.
  var file: String
  /// What it is put back to; nil for a purge.
  var backup: String?
  /// The wall clock in milliseconds.
  var time: Int64
  /// When it kills itself.
  var charge: Fuse.Charge?
}

import CommuteSQLite

/// The key of an encrypted database.
///
/// The store hands it to SQLite as the first statement on every connection and keeps no copy. It
/// encrypts nothing itself: link SQLCipher 4.5 or newer in the place of SQLite. Where the SQLite
/// that is linked does not encrypt, opening with a key is refused, so that nobody takes a readable
/// file for a secret one.
public enum StoreKey: Hashable, Sendable {
  /// A text that SQLCipher derives the key from, slowly on purpose.
  case passphrase(String)
  /// The 32 bytes of the key itself, or 48 with the salt behind them.
  case bytes([UInt8])

  /// The statement that hands it over.
  fileprivate var statement: String {
    switch self {
    case .passphrase(let text):
      let quoted = text.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''")
      return "PRAGMA key = '\(quoted)'"
    case .bytes(let bytes):
      let digits = bytes.map { byte in
        let text = String(byte, radix: 16)
        return byte < 16 ? "0\(text)" : text
      }.joined()
      return "PRAGMA key = \"x'\(digits)'\""
    }
  }
}

extension StoreKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of the key: descriptions land in logs.
  public var description: String { "a key" }
  /// Nothing of the key.
  public var debugDescription: String { description }
  /// Nothing of the key.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a store's database is; every connection to it is opened here.
struct DatabasePlace: Sendable {
  let location: Location
  /// Asked for the key of each connection; nil for a database that is not encrypted.
  let key: (@Sendable () throws -> StoreKey)?

  /// Opens a connection, which gets the key before anything else.
  func connect(_ configuration: Configuration) throws(StoreError) -> Connection {
    var configuration = configuration
    if let key {
      let statement = try statement(handingOver: key)
      configuration.whenOpened = { (connection) throws(SQLiteError) in
        try connection.execute(statement)
        guard try connection.value("PRAGMA cipher_version") != .null else {
          throw .misuse(
            reason: "a key was given, and the SQLite that is linked does not encrypt; link"
              + " SQLCipher 4.5 or newer, or open the store without a key")
        }
      }
    }
    return try speaking { () throws(SQLiteError) in try Connection(location, configuration) }
  }

  /// Opens a connection that only reads, and leaves the file as it is.
  func connectForReading() throws(StoreError) -> Connection {
    var configuration = Configuration(.readOnly)
    configuration.journal = .unchanged
    return try connect(configuration)
  }

  private func statement(
    handingOver key: @Sendable () throws -> StoreKey
  ) throws(StoreError) -> String {
    do {
      return try key().statement
    } catch {
      throw .unreadable(path: location.path, reason: "its key cannot be had: \(error)")
    }
  }
}

extension Location {
  /// The path, for messages.
  var path: String {
    switch self {
    case .file(let path): path
    case .memory, .sharedMemory: ":memory:"
    }
  }
}

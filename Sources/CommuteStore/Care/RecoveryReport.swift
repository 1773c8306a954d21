/// What a recovery brought over into a new file, and what it could not.
public struct RecoveryReport: Hashable, Sendable {
  /// The file in which everything that waited for the server or was refused by it was written down,
  /// as JSON, before anything else was done.
  public let exported: String
  /// Where the damaged file lies now; delete it once nothing in it is missed.
  public let damaged: String
  /// How many rows of each table were brought over, by name.
  public internal(set) var rows: [String: Int] = [:]
  /// How many changes wait for the server in the new file.
  public internal(set) var pending = 0
  /// How many changes that the server refused are in the new file.
  public internal(set) var refused = 0
  /// What could not be read, a line each; nothing where all was brought over.
  ///
  /// Records that the server has come back with the next rounds, which read everything anew.
  public internal(set) var losses: [String] = []
}

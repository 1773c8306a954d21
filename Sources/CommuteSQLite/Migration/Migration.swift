/// One named step from a schema to the next.
///
/// Once released it is never edited: databases that already ran it would differ from those that
/// run it later. What it does is told by its text; a step in code is for moving data.
public struct Migration: Sendable {
  /// What the step is called for good, such as `0003-book-rating`.
  public let name: String
  /// The statements to run, without `BEGIN` and `COMMIT`.
  public let sql: String
  /// What to do after the statements, in the same transaction.
  public let step: (@Sendable (Connection) throws(SQLiteError) -> Void)?

  /// A number that almost surely changes when the text is edited (FNV-1a).
  ///
  /// It guards against slips, not against attackers, who could change the table as well.
  public let fingerprint: Int64

  /// Declares a step.
  public init(
    _ name: String, _ sql: String,
    step: (@Sendable (Connection) throws(SQLiteError) -> Void)? = nil
  ) {
    self.name = name
    self.sql = sql
    self.step = step
    fingerprint = Self.fingerprint(of: sql)
  }

  private static func fingerprint(of sql: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in sql.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }
}

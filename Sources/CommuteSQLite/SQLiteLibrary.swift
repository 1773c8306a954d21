import CSQLite

/// The SQLite library that this program runs with.
public enum SQLiteLibrary {
  /// Its version, such as `3.40.1`.
  public static var version: String { unsafe String(cString: sqlite3_libversion()) }

  /// Its version as one number, such as `3_040_001`.
  public static var versionNumber: Int { Int(sqlite3_libversion_number()) }

  /// Whether the library was compiled with an option, such as `ENABLE_FTS5`.
  public static func isCompiled(with option: String) -> Bool {
    unsafe sqlite3_compileoption_used(option) != 0
  }

  /// Makes sure that the library is new enough, safe with threads, and has what is asked for.
  ///
  /// - Throws: ``SQLiteError/unsupportedLibrary(version:lacks:)`` with the first thing that lacks.
  public static func require(
    atLeast oldest: Int = oldestSupported, options: [String] = []
  ) throws(SQLiteError) {
    var lacking: String?
    if versionNumber < oldest { lacking = "what came with version \(readable(oldest))" }
    if sqlite3_threadsafe() == 0 { lacking = "support for threads" }
    lacking = lacking ?? options.first { !isCompiled(with: $0) }
    if let lacking { throw .unsupportedLibrary(version: version, lacks: lacking) }
  }

  /// The first version with strict tables.
  public static let oldestSupported = 3_037_000

  private static func readable(_ number: Int) -> String {
    "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
  }
}

import CommuteCore
import CommuteFeatures
import CommuteSQLite

/// Which program this is.
enum Build {
  /// The version, as in the list of changes.
  static let version = "0.1.0"
  /// What servers are told about this program.
  static let name = "commute/\(version)"

  /// Build, protocol, schema and SQLite.
  static func report() throws(Failure) -> Report {
    let schema: Schema
    do throws(SchemaError) {
      schema = try ReadingList.schema()
    } catch {
      throw Failure(.refused, error.message)
    }
    let hash = Epoch(rawValue: schema.id.hash).text
    let protocols =
      ProtocolVersion.minimum == ProtocolVersion.current
      ? "\(ProtocolVersion.current)" : "\(ProtocolVersion.minimum) to \(ProtocolVersion.current)"
    return Report(
      [
        "commute \(version)", "protocol \(protocols)",
        "schema \(schema.name.text) \(schema.version) (\(hash))",
        "SQLite \(SQLiteLibrary.version)",
      ],
      [
        "version": .text(version),
        "protocol": .integer(Int64(ProtocolVersion.current)),
        "schema": [
          "name": .text(schema.name.text), "version": .integer(Int64(schema.version)),
          "hash": .text(hash),
        ],
        "sqlite": .text(SQLiteLibrary.version),
      ])
  }
}

import CommuteSQLite
import Testing

@testable import CommuteStore

@Suite struct EngineSchemaTests {
  /// What a plan makes of a database that has nothing.
  private func made(by plan: MigrationPlan) throws -> [String] {
    let connection = try Connection(.memory)
    let names = try plan.apply(to: connection)
    let queries: [SQL] = [
      "SELECT format('%s %s %s %s', type, name, tbl_name, sql) FROM sqlite_schema ORDER BY name",
      "SELECT format('%s %s %s', position, name, fingerprint) FROM c_migration ORDER BY position",
      "SELECT format('version %s', user_version) FROM pragma_user_version",
    ]
    return try names
      + queries.flatMap { query in
        try connection.all(query) { (row) throws(SQLiteError) in row.text(0) }
      }
  }

  @Test func `a new file is what its steps would have made`() throws {
    let plan = EngineSchema.plan
    let steps = MigrationPlan(
      table: plan.table, schemaVersion: plan.schemaVersion, plan.migrations)
    let atOnce = try made(by: plan)
    #expect(plan.whole != nil)
    #expect(try atOnce == made(by: steps))
    #expect(atOnce.contains("version \(EngineSchema.version)"))
    #expect(atOnce.count { $0.hasPrefix("table c_") } == 15)
  }
}

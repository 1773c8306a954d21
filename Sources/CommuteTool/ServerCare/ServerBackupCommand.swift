import CommuteCore
import CommuteServer
import CommuteServerSQLite
import Foundation

/// `commute server backup FILE`.
struct ServerBackupCommand: Command {
  static let spec = CommandSpec.server(
    "backup", "copies a server's database, as it is at one moment",
    details: [
      "The server may go on meanwhile. The copy is checked, and has its name only when whole.",
      "No server opens it as it is; `commute server restore` puts it back.",
    ],
    [ArgumentSpec("FILE", "where the copy goes; there must be no file of this name")])

  private let options: CareOptions
  private let file: String

  init(_ arguments: Arguments) throws(UsageError) {
    options = try CareOptions(arguments)
    file = try arguments.filePath("FILE")
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let database = try options.database()
    let progress = Progress(output)
    progress.begin("copying \(options.path)")
    let report: BackupReport
    do throws(ServerDatabaseError) {
      report = try await database.backup(to: file, time: ProgramClock.milliseconds())
    } catch {
      throw Failure(error)
    }
    let records = Plural.text(report.records, "record")
    let deletions = Plural.text(report.tombstones, "deletion")
    return Report(
      [
        "\(file) holds \(records) and \(deletions), \(ByteCount.text(report.bytes))",
        "keep it on another disk; `commute server restore` puts it back",
      ],
      [
        "file": .text(file), "bytes": .integer(report.bytes),
        "records": .integer(report.records), "deletions": .integer(report.tombstones),
        "epoch": .text(report.identity.epoch.text),
      ])
  }
}

import CommuteCore
import CommuteServer
import CommuteServerSQLite

/// `commute server restore FILE`.
struct ServerRestoreCommand: Command {
  static let spec = CommandSpec.server(
    "restore", "puts a backup in the place of a server's database",
    details: [
      "End the server first. What was there is kept beside it under another name. Devices notice",
      "that the history is a new one, and offer again what they hold beyond the backup.",
    ],
    [ArgumentSpec("FILE", "what `commute server backup` made")],
    options: [
      CareOptions.retention,
      OptionSpec(
        "accept-resurrection", "takes a backup older than that: deleted records may come back"),
    ])

  private let options: CareOptions
  private let file: String
  private let acceptsResurrection: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    options = try CareOptions(arguments)
    file = try arguments.filePath("FILE")
    acceptsResurrection = arguments.has("accept-resurrection")
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    try DataPlace.makeFolder(of: options.path)
    let progress = Progress(output)
    progress.begin("putting \(file) in the place of \(options.path)")
    var restore = RestoreOptions()
    restore.retention = options.retention
    restore.acceptsResurrection = acceptsResurrection
    let report: RestoreReport
    do throws(ServerDatabaseError) {
      report = try await ServerDatabase(options.path).restore(
        from: file, options: restore, time: ProgramClock.milliseconds())
    } catch {
      throw Failure(error)
    }
    let records = Plural.text(report.records, "record")
    let age = Moment.span(report.age)
    let kept = report.replaced.map { ["what was there before is kept in \($0)"] } ?? []
    return Report(
      ["\(options.path) holds \(records), from a backup \(age) old"] + kept
        + ["start the server again; devices offer what they hold beyond the backup"],
      [
        "database": .text(options.path), "records": .integer(report.records),
        "ageMilliseconds": .integer(report.age), "replaced": JSON(report.replaced),
        "epoch": .text(report.identity.epoch.text),
      ])
  }
}

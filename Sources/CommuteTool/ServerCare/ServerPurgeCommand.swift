import CommuteServerSQLite

/// `commute server purge`.
struct ServerPurgeCommand: Command {
  static let spec = CommandSpec.server(
    "purge", "forgets deletions that are old and known to all devices",
    details: [
      "The server may go on meanwhile. Of a deleted record its id stays, so that it never comes",
      "back; a device that was away for longer reads anew, and loses nothing of its own work.",
    ],
    options: [CareOptions.retention])

  private let options: CareOptions

  init(_ arguments: Arguments) throws(UsageError) {
    options = try CareOptions(arguments)
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let database = try options.database()
    let progress = Progress(output)
    progress.begin("purging \(options.path)")
    var purge = PurgeOptions()
    purge.retention = options.retention
    let report: PurgeReport
    do throws(ServerDatabaseError) {
      report = try await database.purge(purge, time: ProgramClock.milliseconds()) { report in
        progress.tell("purged \(Plural.text(report.tombstones, "deletion")) so far", report.members)
      }
    } catch {
      throw Failure(error)
    }
    let days = options.retention / 86_400_000
    let purged = Plural.text(report.tombstones, "deletion")
    var lines = ["purged \(purged) older than \(Plural.text(days, "day"))"]
    if report.waiting > 0 {
      let waiting = Plural.text(report.waiting, "older deletion")
      lines.append("kept \(waiting) for a device that has not read them yet")
    }
    if report.retired > 0 {
      let retired = Plural.text(report.retired, "device")
      lines.append("retired \(retired) unseen for longer; they read anew when they return")
    }
    return Report(lines, .object(report.members))
  }
}

extension PurgeReport {
  /// What went, for programs.
  var members: [JSON.Member] {
    [
      JSON.Member(name: "purged", value: JSON(tombstones)),
      JSON.Member(name: "waiting", value: JSON(waiting)),
      JSON.Member(name: "retired", value: JSON(retired)),
      JSON.Member(name: "operations", value: JSON(operations)),
      JSON.Member(name: "restamps", value: JSON(restamps)),
    ]
  }
}

import Foundation

/// The program: reads the command line, runs one command, and tells how it went.
enum Program {
  /// Everything it can do.
  static let reader = CommandLineReader(
    commands: [
      ServeCommand.self, DemoCommand.self, DemoGraphCommand.self, DoctorCommand.self,
    ],
    groups: [
      CommandGroup(
        name: "books", summary: "a reading list on this device, synced with a server",
        details: [
          "BOOK is the beginning of an id, or a part of a title that only one book has.",
          "Everything works without a server; `sync` and --sync exchange what has changed.",
        ],
        options: DeviceOptions.specs,
        commands: [
          AddCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self,
          TickCommand.self, UntickCommand.self, NoteCommand.self, RateCommand.self,
          TagCommand.self, DeleteCommand.self, UndoCommand.self, SyncCommand.self,
          StatusCommand.self, WatchCommand.self, ImportCommand.self, ExportCommand.self,
          SampleCommand.self, MigrateCommand.self,
        ]),
      CommandGroup(
        name: "inbox",
        summary: "what the server refused, and what lost to others: for you to decide",
        details: ["Everything else goes on meanwhile; nothing here goes away by itself."],
        options: DeviceOptions.specs,
        commands: [
          InboxListCommand.self, InboxRetryCommand.self, InboxEditCommand.self,
          InboxRestoreCommand.self, InboxDiscardCommand.self, InboxExportCommand.self,
        ]),
      CommandGroup(
        name: "queue", summary: "the durable queue of background work in the device's file",
        details: [
          "TASK is a number, as `list` shows it; GRAPH a number or a name.",
          "Looking takes no lock that anyone would wait for.",
        ],
        options: DeviceOptions.specs,
        commands: [
          QueueListCommand.self, QueueShowCommand.self, QueueExplainCommand.self,
          QueueRetryCommand.self, QueueCancelCommand.self, QueueGraphCommand.self,
          QueueWatchCommand.self, QueueRunCommand.self,
        ]),
      CommandGroup(
        name: "account", summary: "who is signed in on a device; each account has its own file",
        details: ["Nothing here needs a network, and nothing unsent goes without your word."],
        options: AccountOptions.specs,
        commands: [
          AccountListCommand.self, AccountUseCommand.self, AccountSignOutCommand.self,
        ]),
      CommandGroup(
        name: "schema", summary: "the files of released schemas, and what a new one may change",
        details: ["The schema is that of the reading list, which this program has built in."],
        options: SchemaFolder.specs,
        commands: [SchemaCheckCommand.self, SchemaDiffCommand.self, SchemaExportCommand.self]),
      CommandGroup(
        name: "server", summary: "cares for a server's database: backup, restore, purge",
        details: ["`commute serve` runs the server itself."],
        options: CareOptions.specs,
        commands: [
          ServerBackupCommand.self, ServerRestoreCommand.self, ServerPurgeCommand.self,
        ]),
    ])

  /// Runs what the words after the program's name ask for.
  static func run(_ line: [String]) async -> ExitCode {
    var output = Output()
    do throws(UsageError) {
      switch try reader.read(line) {
      case .programHelp: output.say(HelpText.program(reader))
      case .groupHelp(let group): output.say(HelpText.group(group))
      case .help(let command): output.say(HelpText.command(command.spec))
      case .version:
        output.isJSON = line.contains("--json")
        return await show(output) { () throws(Failure) in try Build.report() }
      case .run(let type, let arguments):
        let command = try type.init(arguments)
        output.isJSON = arguments.has("json")
        if command.endsBySignal { Signals.hold(Signals.ending + [Signals.reload]) }
        let settled = output
        return await show(output) { () throws(Failure) in try await command.run(settled) }
      }
      return .done
    } catch {
      output.complain(error.message)
      return .usage
    }
  }

  private static func show(
    _ output: Output, _ body: () async throws(Failure) -> Report
  ) async -> ExitCode {
    do throws(Failure) {
      let report = try await body()
      output.show(report)
      return report.code
    } catch {
      output.say(error.lines)
      if let json = error.json { output.tell(json) }
      output.complain(error.message)
      return error.code
    }
  }
}

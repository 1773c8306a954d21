import CommuteCore
import CommuteFeatures
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite
import CommuteStore
import Foundation

/// `commute serve`: a server on its embedded database, until it is told to end.
struct ServeCommand: Command {
  static let spec = CommandSpec(
    words: ["serve"],
    summary: "runs a server on its embedded database",
    details: [
      "It prints the address when it listens. SIGTERM and Ctrl-C let running requests finish.",
      "Without --tokens it answers this machine only, and all data is that of one user.",
      "A token's line is: tenant user sha256-of-the-token. SIGHUP reads the file anew.",
      "Behind a name that others reach, put a proxy that speaks TLS in front.",
      "Once a day it forgets old deletions that all devices know, as `commute server purge` does.",
    ],
    options: [
      OptionSpec("db", "FILE", "the database; made where there is none"),
      OptionSpec("host", "HOST", "the address to listen at (127.0.0.1)"),
      OptionSpec("port", "PORT", "the port to listen at; 0 takes a free one (8787)"),
      OptionSpec("tokens", "FILE", "who may come in, a line each"),
      OptionSpec("web", "DIR", "the pages for browsers, as `make web` makes them (Web/dist)"),
      CareOptions.retention,
      OptionSpec("purge-after", "MINUTES", "when it first purges after its start (60)"),
      OptionSpec("no-purge", "leaves purging to `commute server purge`"),
      OptionSpec("log", "writes a line for every request to the error output"),
      OptionSpec("with-input", "ends when the standard input ends, so that it outlives no parent"),
    ])

  /// The port where nobody said another one.
  static let usualPort: UInt16 = 8_787

  let endsBySignal = true
  private let database: String
  private let settings: ServerSettings
  private let endsWithInput: Bool
  /// The folder of pages that was asked for.
  private let web: String?
  /// How long deletions are remembered, in milliseconds.
  private let retention: Int64
  private let purges: Bool
  /// How long after the start it purges first, in milliseconds.
  private let purgeDelay: Int64

  init(_ arguments: Arguments) throws(UsageError) {
    database = try arguments.filled("db") ?? DataPlace.path("server.db")
    endsWithInput = arguments.has("with-input")
    retention = try CareOptions.retention(arguments)
    purges = !arguments.has("no-purge")
    let delay: Int64? = try arguments.number("purge-after", in: 0...1_440)
    purgeDelay = delay.map { $0 * 60_000 } ?? PurgeSchedule.usualDelay
    let output = Output()
    var settings = ServerSettings()
    settings.http.host = try arguments.filled("host") ?? settings.http.host
    settings.http.port = try arguments.number("port", in: 0...UInt16.max) ?? Self.usualPort
    settings.tokenFile = try arguments.filled("tokens")
    web = try arguments.filled("web")
    if arguments.has("log") { settings.log = { output.note($0.text) } }
    settings.wall = ProgramClock.milliseconds
    settings.complain = { output.complain($0) }
    self.settings = settings
  }

  /// A server that nobody can come into is a mistake in the file, found here and not by the users.
  private func requireTokens() throws(Failure) {
    guard let path = settings.tokenFile else { return }
    let count: Int
    do {
      count = try TokenFile(path: path).table.count
    } catch {
      throw Failure(.refused, error.description)
    }
    guard count > 0 else {
      throw Failure(
        .usage,
        "\(path) holds no token, so nobody could come in; add a line: tenant user"
          + " sha256-of-the-token")
    }
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    try requireTokens()
    try DataPlace.makeFolder(of: database)
    let server = try await start()
    let address: ServerAddress
    do {
      address = try await server.start()
    } catch {
      throw Self.failure(error)
    }
    if ProgramClock.ahead != 0 {
      output.complain(
        "\(ProgramClock.variable) sets this server's clock off by \(ProgramClock.ahead) ms;"
          + " unset it unless this is a test")
    }
    output.say(["listening on \(address.url)", "database \(database)"])
    output.tell([
      "event": "listening", "url": .text(address.url), "port": .integer(Int64(address.port)),
      "database": .text(database),
    ])
    let purging = purges ? Task { await keepPurging(output) } : nil
    await untilTold(server)
    // What a purge has committed stays, and the next one goes on.
    purging?.cancel()
    await server.drain()
    return Report(["ended; everything acknowledged is in \(database)"], ["event": "ended"])
  }

  /// How often it looks whether a purge is due: a machine that slept purges soon after.
  private static let purgeLook = Duration.seconds(60)

  /// Purges whenever the schedule says so, until it is cancelled.
  private func keepPurging(_ output: Output) async {
    var options = PurgeOptions()
    options.retention = retention
    var schedule = PurgeSchedule(from: ProgramClock.milliseconds(), delay: purgeDelay)
    repeat {
      let wall = ProgramClock.milliseconds()
      guard schedule.takeTurn(wall: wall) else { continue }
      do throws(ServerDatabaseError) {
        let report = try await ServerDatabase(database).purge(options, time: wall)
        guard report.tombstones > 0, !Task.isCancelled else { continue }
        output.say(["purged \(Plural.text(report.tombstones, "old deletion"))"])
        output.tell(.object([JSON.Member(name: "event", value: "purged")] + report.members))
      } catch {
        output.complain("it could not be purged: \(error.description)")
      }
    } while (try? await Task.sleep(for: Self.purgeLook)) != nil
  }

  private func start() async throws(Failure) -> Server {
    let store: ServerSQLiteStore
    var storing = ServerSQLiteSettings()
    storing.retention = retention
    do {
      store = try await ServerSQLiteStore.open(
        database, rules: try rules(), settings: storing, time: ProgramClock.milliseconds())
    } catch let error as ServerStoreError {
      throw Failure(.storage, error.description)
    } catch {
      throw Failure(.storage, "\(error)")
    }
    do {
      var settings = settings
      settings.pages = try WebPlace.pages(web)
      return try Server(store: store, settings: settings)
    } catch let refusal as WebPages.Refusal {
      await store.close()
      throw Failure(.refused, refusal.description)
    } catch let error as ServerError {
      await store.close()
      throw Self.failure(error)
    } catch {
      await store.close()
      throw Failure(.refused, "\(error)")
    }
  }

  /// Knows the reading list and refuses what it refuses; other tables are kept and passed on.
  private func rules() throws -> ServerRules {
    var rules = ServerRules(try ReadingList.schema())
    rules.complain = settings.complain
    rules.refuse(Book.table.schema.name) { change in
      if change.isDeletion { return nil }
      return ReadingList.objection(
        title: change.text("title") ?? "", rating: change.integer("rating"))
    }
    return rules
  }

  /// What a server waits for.
  private enum Word: Sendable {
    case end, reload
  }

  private func untilTold(_ server: Server) async {
    let (words, speaker) = AsyncStream.makeStream(of: Word.self)
    if endsWithInput {
      Thread {
        Self.readToEnd()
        speaker.yield(.end)
      }.start()
    }
    let listening = Task {
      for await signal in Signals.coming() {
        speaker.yield(signal == Signals.reload ? .reload : .end)
      }
    }
    for await word in words {
      if word == .end { break }
      server.reloadTokens()
    }
    listening.cancel()
  }

  private static func readToEnd() {
    var bytes = [UInt8](repeating: 0, count: 512)
    while true {
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count == 0 || count < 0 && errno != EINTR { return }
    }
  }

  private static func failure(_ error: ServerError) -> Failure {
    switch error {
    case .store: Failure(.storage, error.description)
    default: Failure(.refused, error.description)
    }
  }
}

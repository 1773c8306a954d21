import CommuteFeatures
import CommuteStore
import CommuteSync

/// A command of the reading list: it opens a device, does one thing, and closes it.
protocol BooksCommand: Command {
  /// Which device.
  var device: DeviceOptions { get }
  /// Does it.
  func run(on device: OpenDevice) async throws(Failure) -> Report
}

extension BooksCommand {
  func run(_ output: Output) async throws(Failure) -> Report {
    let open = try OpenDevice.open(device)
    let result: Result<Report, Failure>
    do throws(Failure) {
      try await open.rememberWay()
      result = .success(try await run(on: open))
    } catch {
      result = .failure(error)
    }
    await open.store.close()
    return try result.get()
  }

  /// Runs a call of the reading list or its store.
  static func translating<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws(Failure) -> Result {
    do { return try await body() } catch { throw Failure(error) }
  }
}

extension CommandSpec {
  /// A command of the reading list, with the options that all of them share.
  static func books(
    _ word: String, _ summary: String, details: [String] = [], _ arguments: [ArgumentSpec] = [],
    options: [OptionSpec] = []
  ) -> CommandSpec {
    CommandSpec(
      words: ["books", word], summary: summary, details: details, arguments: arguments,
      options: options + DeviceOptions.specs)
  }
}

extension OptionSpec {
  /// Lets a round of sync follow.
  static let sync = OptionSpec("sync", "syncs at once, too")
}

/// A command that changes something here.
protocol ChangingCommand: BooksCommand {
  /// Whether a round of sync follows.
  var syncs: Bool { get }
  /// Makes the change.
  ///
  /// - Returns: What happened, in lines for people and members of an object for programs.
  func change(_ device: OpenDevice) async throws(Failure) -> Change
}

/// What a command changed.
struct Change: Sendable {
  var lines: [String]
  var members: [JSON.Member]

  init(_ lines: [String], _ members: [JSON.Member]) {
    self.lines = lines
    self.members = members
  }

  /// One changed book.
  init(_ line: String, _ book: Book) {
    self.init([line], [JSON.Member(name: "book", value: book.json)])
  }
}

extension ChangingCommand {
  func run(on device: OpenDevice) async throws(Failure) -> Report {
    if syncs { try await Round.requireWay(on: device) }
    let change = try await change(device)
    if syncs {
      var report = try await Round.run(on: device)
      report.lines = change.lines + report.lines
      if case .object(let members) = report.json { report.json = .object(change.members + members) }
      return report
    }
    let status = try await StoredStatus.read(device)
    return Report(
      change.lines + [status.text], .object(change.members + status.members))
  }
}

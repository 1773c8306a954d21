import CommuteServerSQLite
import Foundation

/// Which database the commands that care for a server work on.
struct CareOptions: Sendable {
  /// The options that say so.
  static let specs = [
    OptionSpec("database", "FILE", "the server's database; that of `commute serve` if left out")
  ]
  /// How long deletions are remembered.
  static let retention = OptionSpec("retention", "DAYS", "how long deletions are remembered (90)")

  var path: String
  /// In milliseconds.
  var retention: Int64

  init(_ arguments: Arguments) throws(UsageError) {
    path = try arguments.path("database") ?? DataPlace.path("server.db")
    retention = try Self.retention(arguments)
  }

  /// How long deletions are remembered, in milliseconds.
  static func retention(_ arguments: Arguments) throws(UsageError) -> Int64 {
    let days: Int64? = try arguments.number("retention", in: 1...36_500)
    return days.map { $0 * 86_400_000 } ?? ServerDatabase.usualRetention
  }

  /// The database, which must be there.
  func database() throws(Failure) -> ServerDatabase {
    guard FileManager.default.fileExists(atPath: path) else {
      throw Failure(.refused, "there is no database \(path); name the server's: --database FILE")
    }
    return ServerDatabase(path)
  }
}

extension CommandSpec {
  /// A command that cares for a server, with the options that all of them share.
  static func server(
    _ word: String, _ summary: String, details: [String], _ arguments: [ArgumentSpec] = [],
    options: [OptionSpec] = []
  ) -> CommandSpec {
    CommandSpec(
      words: ["server", word], summary: summary, details: details, arguments: arguments,
      options: CareOptions.specs + options)
  }
}

extension Failure {
  /// Translates why a server's database was not cared for.
  init(_ error: ServerDatabaseError) {
    switch error {
    case .tooOld: self.init(.refused, "\(error.description): --accept-resurrection")
    case .served, .exists, .otherServer: self.init(.refused, error.description)
    default: self.init(.storage, error.description)
    }
  }
}

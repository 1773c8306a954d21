/// A running server of one story.
protocol StoryServer: Sendable {
  /// The port of this machine that it listens at.
  var port: UInt16 { get }
  /// Its database file.
  var database: String { get }
  /// Ends it after the requests that are under way.
  func end() async throws
  /// Lets its clock catch up with the story's, after days in which nobody waited.
  func catchUp() async throws
  /// Does for its database what its owner would.
  func perform(_ care: ServerCare) async throws
}

/// What the owner of a server does for its database.
enum ServerCare: Hashable, Sendable {
  /// Copies it; there is one copy in a story.
  case backUp
  /// Puts the copy in its place.
  case restore
  /// Forgets deletions that are older than the usual retention time.
  case purge
}

/// What the server of a story is started with.
struct ServerSetting: Sendable {
  /// Where its files are made.
  var folder: String
  /// The time of the story.
  var time: StoryTime
  /// The file of tokens; nil for a server that knows one user only.
  var tokenFile: String?

  /// Where its database is.
  var database: String { "\(folder)/server.db" }
  /// Where its owner keeps the copy.
  var backup: String { "\(folder)/backup.db" }
}

/// A running server of one story.
protocol StoryServer: Sendable {
  /// The port of this machine that it listens at.
  var port: UInt16 { get }
  /// Its database file.
  var database: String { get }
  /// Ends it after the requests that are under way.
  func end() async throws
}

/// What the server of a story is started with.
struct ServerSetting: Sendable {
  /// Where its database is made.
  var folder: String
  /// The time of the story.
  var time: StoryTime
  /// The file of tokens; nil for a server that knows one user only.
  var tokenFile: String?
}

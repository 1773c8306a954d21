/// A running server of one story.
protocol StoryServer: Sendable {
  /// The port of this machine that it listens at.
  var port: UInt16 { get }
  /// Its database file.
  var database: String { get }
  /// Ends it after the requests that are under way.
  func end() async throws
}

/// Tells stories: each with two devices, their networks and a server of its own.
struct Teller: Sendable {
  /// Starts a server.
  var startServer: @Sendable (ServerSetting) async throws -> any StoryServer
  /// When a story begins, in milliseconds since 1970.
  var start: @Sendable () -> Int64
  /// The clock of a server that does not stand still while a story does.
  var serverClock: @Sendable () -> Int64 = { 0 }

  /// Tells a story with one design, from nothing to the SQL that reads what is left.
  func tell(_ story: Story, by design: Design) async throws -> Telling {
    let folder = try TemporaryFolder("\(design.rawValue)-\(story.number)")
    defer { folder.remove() }
    let time = StoryTime(start: start(), server: serverClock)
    var setting = ServerSetting(folder: folder.path, time: time)
    if !story.people.isEmpty {
      setting.tokenFile = try folder.write(Person.tokenLines, to: "tokens")
    }
    let server = try await startServer(setting)
    let result: Result<Telling, any Error>
    do {
      result = .success(
        try await tell(story, by: design, in: folder.path, time: time, server: server))
    } catch {
      result = .failure(error)
    }
    try await server.end()
    return try result.get()
  }

  private func tell(
    _ story: Story, by design: Design, in folder: String, time: StoryTime,
    server: any StoryServer
  ) async throws -> Telling {
    var cast = try Cast(design, of: story, in: folder, time: time, server: server)
    do {
      let telling = try await cast.play(story)
      await cast.leave()
      return telling
    } catch {
      await cast.leave()
      throw error
    }
  }
}

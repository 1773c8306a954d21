import CommuteHTTP

/// The way to the server that devices take on this system.
enum Network {
  static func makeClient() -> any HTTPClient {
    #if os(Linux)
      CurlClient()
    #else
      URLSessionClient()
    #endif
  }
}

/// A wait that only ends when it is given up.
enum Forever {
  static func wait() async throws {
    let (stream, speaker) = AsyncStream.makeStream(of: Never.self)
    defer { speaker.finish() }
    for await _ in stream {}
    throw CancellationError()
  }
}

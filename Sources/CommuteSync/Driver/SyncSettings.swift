public import CommuteCore
public import CommuteStore

/// What a driver needs to know beside the store and the way to the server.
public struct SyncSettings: Sendable {
  /// The server's address without a path, as `https://sync.example.org`.
  public var server: String
  /// The bearer token; asked once for each request, together with the owner of the file.
  public var token: @Sendable () -> String?
  /// The longest time one round may take.
  public var timeLimit: Duration
  /// Where time comes from; the store's own clock by default.
  public var clock: StoreClock?
  /// 64 random bits for the delay after a failure.
  public var draw: @Sendable () -> UInt64
  /// Waits; handed in so that tests need not.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// What wakes the driver when it is time to try again; it waits in memory where there is none.
  public var alarm: (any SyncAlarm)?
  /// Is told what each request has met, for whoever keeps an eye on the network.
  public var evidence: (@Sendable (Connectivity.Event) -> Void)?

  /// Makes settings for a server.
  ///
  /// - Parameters:
  ///   - server: Its address; a slash at the end is taken off.
  ///   - token: The bearer token; by default none, for a server on this machine.
  public init(server: String, token: @escaping @Sendable () -> String? = { nil }) {
    var server = server
    while server.hasSuffix("/") { server.removeLast() }
    self.server = server
    self.token = token
    timeLimit = .seconds(60)
    draw = { UInt64.random(in: .min ... .max) }
    sleep = { try await Task.sleep(for: $0) }
  }
}

public import CommuteHTTP

/// How a server is set up.
public struct ServerSettings: Sendable {
  /// Where it listens, and how much it lets its clients ask of it.
  public var http = HTTPServerSettings()
  /// The file of tokens; nil for a server that only this machine reaches.
  public var tokenFile: String?
  /// What it gives to browsers; nil where it serves devices only.
  public var pages: WebPages?
  /// How much it takes on at once.
  public var limits = ServerLimits()
  /// The oldest schema version of the app that is answered; older ones are told to be updated.
  public var minimumSchema: UInt64 = 0
  /// How long running requests may take to finish when it ends.
  public var drainLimit: Duration = .seconds(10)
  /// The wall clock in milliseconds.
  public var wall: @Sendable () -> Int64 = WallClock.milliseconds
  /// Told of each request.
  public var log: (@Sendable (RequestLine) -> Void)?
  /// Told of what somebody should look at: the store fails, the tokens cannot be read.
  public var complain: @Sendable (String) -> Void = { _ in }

  /// Makes the settings of a server that only this machine reaches, at a free port.
  public init() {}
}

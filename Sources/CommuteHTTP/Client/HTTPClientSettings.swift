/// What a client is allowed to take, and how it makes sure of its server.
public struct HTTPClientSettings: Hashable, Sendable {
  /// How long connecting may take, name look-up and TLS included.
  public var connectTimeLimit: Duration = .seconds(10)
  /// How long a request may take from start to end, where it names no limit itself.
  public var timeLimit: Duration = .seconds(60)
  /// The most bytes of an answer's body, before and after unpacking: 16 MiB.
  public var answerLimit = 16 << 20
  /// The file of the authorities to trust, in the PEM format; nil trusts those of the system.
  public var certificateAuthorityFile: String?
  /// Whether bodies over 1 KiB are sent gzip-compressed where that pays.
  ///
  /// Only for a server that is known to unpack them, as this module's does. Requests to the
  /// machine itself are never compressed: it costs more there than it saves.
  public var compressesRequests = false
  /// How many connections to one host are open at once; further requests wait.
  public var connectionsPerHost = 8

  /// Makes the settings that fit most uses.
  public init() {}
}

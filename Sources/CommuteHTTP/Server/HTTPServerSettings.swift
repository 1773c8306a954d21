/// Where a server listens, and how much it lets its clients ask of it.
public struct HTTPServerSettings: Hashable, Sendable {
  /// The name or number of the interface to listen at; `0.0.0.0` and `::` are all of them.
  public var host = "127.0.0.1"
  /// The port to listen at; 0 lets the system choose a free one.
  public var port: UInt16 = 0
  /// How many threads carry bytes; the handler runs on Swift's own threads.
  public var threadCount = 2

  /// The most bytes of request line and header fields together: 16 KiB.
  public var headLimit = 16 << 10
  /// The most header fields of one request.
  public var fieldLimit = 100
  /// The most bytes of a request's body as it is sent: 8 MiB.
  public var bodyLimit = 8 << 20
  /// The most bytes that a compressed body may unpack to: 16 MiB.
  public var unpackedBodyLimit = Gzip.unpackedLimit
  /// How many connections are open at once; further ones wait to be accepted.
  public var connectionLimit = 4000
  /// How many connections one address may have open at once; further ones are closed.
  ///
  /// An IPv6 network of 64 bits counts as one address. Behind a proxy, all clients have its
  /// address.
  public var connectionsPerAddress = 512

  /// How long a head may take from its first byte, or from connecting, to its end.
  public var headTimeLimit: Duration = .seconds(10)
  /// How long a body may take, beside the time that `slowestRate` allows for what has come.
  public var bodyTimeLimit: Duration = .seconds(30)
  /// How long an answer may take to be read, beside the time that `slowestRate` allows for it.
  public var answerTimeLimit: Duration = .seconds(30)
  /// The bytes a second below which a client is too slow for bodies and answers.
  public var slowestRate = 8 << 10
  /// How long a connection is kept without a request.
  public var idleTimeLimit: Duration = .seconds(60)

  /// Whether answers over 1 KiB are compressed for clients that take gzip.
  public var compressesAnswers = true

  /// Makes the settings of a server that only this machine reaches, at a free port.
  public init() {}
}

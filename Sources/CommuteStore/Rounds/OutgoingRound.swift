public import CommuteCore

/// A round of sync that may be sent: everything in it is durable here.
public struct OutgoingRound: Sendable {
  /// What it says.
  public let request: SyncRequest
  /// Its bytes, to be sent as they are.
  public let bytes: [UInt8]
  /// What the device knows when it is sent.
  let device: Device
  /// What the app says about itself.
  let build: Device.Build
  /// Where the numbers of rounds that follow from this one come from.
  let random: StoreRandom

  /// How many operations it carries.
  public var operationCount: Int { request.operations.count }
  /// Whether it only asks, and carries neither operations nor offers.
  public var isAsking: Bool { request.operations.isEmpty && request.offers.isEmpty }

  init(
    request: SyncRequest, device: Device, build: Device.Build, random: StoreRandom
  ) {
    self.request = request
    bytes = request.encoded()
    self.device = device
    self.build = build
    self.random = random
  }

  /// The round that asks for what follows an answer to this one, which need not be applied yet.
  ///
  /// It may be sent while ``Store/apply(_:roundTrip:next:)`` stores the answer; that call must be
  /// given its nonce, or what comes back is ignored.
  ///
  /// - Returns: Nil where nothing follows, or where the answer must be applied first.
  public func following(
    _ answer: SyncAnswer, wall: Int64, limit: SyncRequest.Limit = SyncRequest.Limit()
  ) -> OutgoingRound? {
    var random = random
    guard
      let next = device.readingOn(
        after: answer, nonce: Nonce.random(using: &random), build: build, wall: wall,
        limit: limit)
    else { return nil }
    return OutgoingRound(
      request: next.request, device: next.device, build: build, random: random)
  }
}

/// What became of an answer.
public struct AppliedRound: Hashable, Sendable {
  /// What the answer meant.
  public var reading: AnswerReading
  /// Operations that are part of the server's state now.
  public var settled = 0
  /// Records offered again of which the server has decided.
  public var offers = 0
  /// Operations that were refused; they wait in the inbox.
  public var rejected = 0
  /// Operations that the server could not judge yet; they stay in line.
  public var deferred = 0
  /// Records that were applied.
  public var records = 0
  /// Records that could not be applied and are kept aside.
  public var quarantined = 0
  /// Feeds that were taken away, with the server's reasons; the device no longer reads them.
  public var revoked: FieldMap<String> = FieldMap()
  /// Whether a round must follow at once: there is more to read, or more to send.
  public var more = false

  /// Makes an account of nothing.
  public init(reading: AnswerReading) {
    self.reading = reading
  }
}

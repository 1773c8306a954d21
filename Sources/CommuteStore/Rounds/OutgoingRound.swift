public import CommuteCore

/// A round of sync that may be sent: everything in it is durable here.
public struct OutgoingRound: Sendable {
  /// What it says.
  public let request: SyncRequest
  /// Its bytes, to be sent as they are.
  public let bytes: [UInt8]

  /// How many operations it carries.
  public var operationCount: Int { request.operations.count }
}

/// What became of an answer.
public struct AppliedRound: Hashable, Sendable {
  /// What the answer meant.
  public var reading: AnswerReading
  /// Operations that are part of the server's state now.
  public var settled = 0
  /// Operations that the server refused; they wait in the inbox.
  public var rejected = 0
  /// Operations that the server could not judge yet; they stay in line.
  public var deferred = 0
  /// Records that were applied.
  public var records = 0
  /// Records that could not be applied and are kept aside.
  public var quarantined = 0
  /// Whether a round must follow at once: there is more to read, or more to send.
  public var more = false

  /// Makes an account of nothing.
  public init(reading: AnswerReading) {
    self.reading = reading
  }
}

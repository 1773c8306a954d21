/// One operation in line, with what the device must remember about sending it.
public struct OutboxRow: Hashable, Sendable {
  /// The place in the order of first change; the store gives it, 0 until then.
  public var order: Int64
  /// What will be, or was, sent.
  public var operation: Operation
  /// Whether its bytes are frozen: marked in flight, and not settled since.
  public var isInFlight: Bool
  /// The exact bytes once it was marked in flight; sent again unchanged.
  public var bytes: [UInt8]
  /// In how many rounds it was sent.
  public var attempts: UInt32
  /// In how many of those no answer settled it or told it unsettled.
  public var unanswered: UInt32
  /// Not to be sent before this wall-clock time, in milliseconds; 0 for at once.
  public var notBefore: Int64

  /// Makes a row that was never sent.
  public init(
    order: Int64 = 0, operation: Operation, isInFlight: Bool = false, bytes: [UInt8] = [],
    attempts: UInt32 = 0, unanswered: UInt32 = 0, notBefore: Int64 = 0
  ) {
    self.order = order
    self.operation = operation
    self.isInFlight = isInFlight
    self.bytes = bytes
    self.attempts = attempts
    self.unanswered = unanswered
    self.notBefore = notBefore
  }

  /// The longest delay that is believed: an hour more than any server asks for by itself.
  public static let longestDelay: Int64 = 2 * 3_600_000

  /// How long a deferred row waits: what it needs may never come, so each time twice as long, up to
  /// an hour where the server asks for less.
  func patience(_ delay: UInt64) -> UInt64 {
    let doublings = UInt64(min(max(attempts, 1) - 1, 12))
    let (product, overflow) = delay.multipliedReportingOverflow(by: 1 << doublings)
    return max(delay, min(overflow ? delay : product, 3_600_000))
  }

  /// Whether it may be sent at a wall-clock time.
  ///
  /// A time further away than any delay was noted under another wall clock and counts as passed: a
  /// clock that stood ten years ahead for a minute must not hold a row back for ten years.
  public func isDue(wall: Int64) -> Bool {
    #if PLANTED
      if Planted.isActive(.dueTimeBelieved) { return notBefore <= wall }
    #endif
    return notBefore <= wall || notBefore > wall.adding(milliseconds: UInt64(Self.longestDelay))
  }

  /// Whether nothing is left of its changes.
  var isIdle: Bool {
    operation.fields.isEmpty && !operation.creates && operation.deleted == nil
  }

  /// Whether the server may have seen it: sent without an answer, or written by another replica.
  public func isPerhapsSent(by replica: ReplicaID) -> Bool {
    unanswered > 0 || operation.replica != replica
  }
}

/// A row that left the line because a person has to decide.
public struct Rejection: Hashable, Sendable {
  /// The row as it stood.
  public var row: OutboxRow
  /// Why it was refused.
  public var code: RejectionCode
  /// The server's words.
  public var message: String
  /// The record as the server told it with the verdict.
  public var record: RecordState?

  /// Makes a rejection.
  public init(row: OutboxRow, code: RejectionCode, message: String, record: RecordState? = nil) {
    self.row = row
    self.code = code
    self.message = message
    self.record = record
  }
}

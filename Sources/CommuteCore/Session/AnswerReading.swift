/// Why a round stopped although the server answered; nothing was applied and nothing is lost.
@nonexhaustive
public enum RoundStop: Error, Hashable, Sendable {
  /// The server speaks another version of the wire.
  case protocolNotSpoken(UInt64)
  /// The server's history is another one than the device knows (it was restored).
  case otherEpoch(known: Epoch, told: Epoch)
  /// The device was away for longer than deletions are kept and must read the feed anew.
  case reset(feed: Key)
  /// The subscription to a feed was taken away.
  case revoked(feed: Key, reason: String)
  /// The server's log of a feed ends before what this device has read of it (it was restored).
  case historyShorter(feed: Key)

  /// What happened and what to do, in one line.
  public var message: String {
    switch self {
    case .protocolNotSpoken(let version):
      "the server answered in protocol \(version), this build speaks"
        + " \(ProtocolVersion.current); update the app"
    case .otherEpoch(let known, let told):
      "the server's history \(told.text) is not the one this device knows (\(known.text)); this"
        + " version cannot offer its records again, all changes are kept here"
    case .reset(let feed):
      "the feed \(feed.text) must be read anew after a long absence; this version cannot do that,"
        + " all changes are kept here"
    case .revoked(let feed, let reason):
      "the feed \(feed.text) is no longer granted (\(reason)); this version cannot end the"
        + " subscription, all changes are kept here"
    case .historyShorter(let feed):
      "the server holds less of the feed \(feed.text) than this device has read (it was restored);"
        + " this version cannot offer its records again, all changes are kept here"
    }
  }
}

/// What an answer means to the device.
public enum AnswerReading: Hashable, Sendable {
  /// It answers another request, or none: nothing is done.
  case ignored
  /// Apply its verdicts, records and cursors in one transaction.
  case apply
  /// The request number was used before: the device has taken a new replica id, nothing else
  /// changed.
  case renewed
  /// The server's history is another one: nothing else of the answer counts.
  ///
  /// The device has taken the epoch over and set its cursors to the start. What its records have
  /// that the server may not have is to be offered again
  /// (``DeviceRecord/offerAgain(after:id:)``), and what was sent in this round is unsettled.
  case newEpoch(EpochChange)
  /// Nothing may be applied; the round ends with this error.
  case stop(RoundStop)
}

import CommuteCore

/// What settling left for the answer.
struct SettledRequest: Sendable {
  /// Whether the device has to take a new replica id.
  var renews = false
  /// Of a device that has to: the records of its counter operations.
  var renewal: [RecordMessage] = []
  /// One verdict for each operation and offer.
  var verdicts: [Verdict] = []
}

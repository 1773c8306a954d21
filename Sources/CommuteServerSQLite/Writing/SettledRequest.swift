import CommuteCore

/// What settling left for the answer.
struct SettledRequest: Sendable {
  /// Whether the device has to take a new replica id.
  var renews = false
  /// One verdict for each operation and offer.
  var verdicts: [Verdict] = []
}

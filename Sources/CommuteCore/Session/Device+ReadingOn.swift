extension Device {
  /// Makes the request for what follows an answer while that answer is not applied yet.
  ///
  /// The next page may so be on its way while this one is stored. Nothing is changed here: the
  /// caller applies the answer, takes the request's nonce as the one waited for in the same
  /// transaction, and only then applies what comes back. A request of this kind carries no
  /// operations, so nothing of it has to be durable before it leaves. That the server hears of
  /// pages that are not stored yet is no promise: a device that loses them is behind the fence at
  /// worst, and is told so.
  ///
  /// - Parameters:
  ///   - answer: The answer that came, to the request that is waited for.
  ///   - nonce: A fresh nonce.
  ///   - build: What the app says about itself.
  ///   - wall: The device's wall clock in milliseconds.
  ///   - limit: How much the device can take at once.
  /// - Returns: The request, and the device as it will be when the answer is applied; nil where
  ///   nothing follows, or where the answer cannot simply be applied.
  public func readingOn(
    after answer: SyncAnswer, nonce: Nonce, build: Build, wall: Int64,
    limit: SyncRequest.Limit = SyncRequest.Limit()
  ) -> (request: SyncRequest, device: Device)? {
    guard answer.verdicts.isEmpty, answer.feeds.contains(where: { $0.more }) else { return nil }
    // How a reset ends is found out where it is applied, and a feed that was taken away may make
    // the device take another replica id.
    guard !answer.feeds.contains(where: { feeds[$0.feed]?.reset != nil || $0.revoked != nil })
    else { return nil }
    var next = self
    guard case .apply = next.read(answer, wall: wall, roundTrip: 0, newReplica: replica) else {
      return nil
    }
    for part in answer.feeds { next.moveCursor(by: part) }
    guard next.feeds != feeds else { return nil }
    let request = next.begin(with: [], nonce: nonce, build: build, wall: wall, limit: limit)
    return (request, next)
  }
}

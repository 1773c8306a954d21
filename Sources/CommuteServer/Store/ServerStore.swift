public import CommuteCore

/// Where a server keeps its truth: it settles requests durably and answers them.
///
/// An implementation raises the request with `ServerRules.raise(_:)`, loads what
/// `Settlement.needs(of:)` names, settles, and writes back what the outcome marks, all in one
/// transaction. It answers nothing that is not committed.
/// All of them pass one conformance suite.
public protocol ServerStore: Sendable {
  /// Reads who the store is; fails where it could not answer a device either.
  func identity() async throws(ServerStoreError) -> ServerIdentity

  /// Settles the operations of a request, then reads the pages of its feeds.
  ///
  /// The pages are read in one snapshot that holds what was settled, each head before its records.
  ///
  /// - Parameters:
  ///   - request: The request; its owner is the account.
  ///   - account: Who asks: the tenant is part of every key, the user is the author.
  ///   - time: The server's wall clock in milliseconds.
  /// - Throws: Why there is no answer; what it would have acknowledged may be stored all the same.
  /// - Returns: The answer, after everything it acknowledges is durable.
  func answer(
    _ request: SyncRequest, of account: Account, time: Int64
  ) async throws(ServerStoreError) -> SyncAnswer

  /// Gives a user a right to a feed by name, or takes it away; it counts from the next request on.
  ///
  /// A right that is given after it was taken away has a new number, by which devices know that
  /// they have to read the feed anew.
  func setAccess(
    _ access: FeedAccess, of account: Account, to feed: Key
  ) async throws(ServerStoreError)

  /// Finishes what is waiting and ends; later calls throw ``ServerStoreError/closed``.
  func close() async
}

/// Who a server is.
public struct ServerIdentity: Hashable, Sendable {
  /// The random id that the store got when it was made; stays when it is restored.
  public var server: UInt64
  /// The stretch of history it writes.
  public var epoch: Epoch

  /// Makes an identity.
  public init(server: UInt64, epoch: Epoch) {
    self.server = server
    self.epoch = epoch
  }

  /// The server's id as 16 digits.
  public var serverText: String { Epoch(rawValue: server).text }
}

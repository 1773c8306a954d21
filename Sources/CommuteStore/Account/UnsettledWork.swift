/// What of a file the server has not settled: it is nowhere else.
public struct UnsettledWork: Hashable, Sendable {
  /// Changes in line, those in flight included.
  public var waiting: Int
  /// Changes that the server refused and nobody has decided on.
  public var refused: Int
  /// Records that are to be offered to a restored server.
  public var offers: Int

  /// Makes an account of what is open.
  public init(waiting: Int = 0, refused: Int = 0, offers: Int = 0) {
    self.waiting = waiting
    self.refused = refused
    self.offers = offers
  }

  /// All of it.
  public var total: Int { waiting + refused + offers }
  /// Whether everything is the server's, too.
  public var isEmpty: Bool { total == 0 }
}

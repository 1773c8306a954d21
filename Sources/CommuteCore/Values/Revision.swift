/// The random id of a stretch of a server's history; renewed when a server is restored.
public struct Epoch: Hashable, Sendable {
  /// The 64 random bits; written as 16 hexadecimal digits.
  public let rawValue: UInt64

  /// Makes an epoch of its bits.
  @inlinable
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The 16 digits.
  public var text: String { Hexadecimal.text(rawValue, digits: 16) }

  /// Reads 16 digits; nil for anything else.
  public init?(text: String) {
    guard let number = Hexadecimal.read(text: text, digits: 16) else { return nil }
    rawValue = number
  }
}

/// The place of one change in a feed's log.
///
/// Numbers of one epoch rise strictly with the order of commits; numbers of different epochs are
/// never compared, so this type has no order of its own.
public struct Revision: Hashable, Sendable {
  /// The history the number belongs to.
  public var epoch: Epoch
  /// The number; the first change of a feed is 1.
  public var number: UInt64

  /// Makes a revision.
  @inlinable
  public init(epoch: Epoch, number: UInt64) {
    self.epoch = epoch
    self.number = number
  }
}

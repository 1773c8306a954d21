/// How much of a feed a device asks for at once while it reads page after page.
///
/// The next page is made and sent while one is stored, so short pages keep both ends busy; where
/// the way is long, the wait for each page counts more than anything and pages grow.
public struct PageSize: Hashable, Sendable {
  /// The bytes of the next page.
  public private(set) var bytes: UInt64

  /// The first page, in bytes: about 2 ms of storing.
  public static let least: UInt64 = 256 << 10
  /// The longest page, in bytes: what a server sends at most.
  public static let greatest = UInt64(Limits.pageBytes)

  /// Starts with a short page.
  public init() { bytes = Self.least }

  /// Takes note of how long a page took to come, and then to be stored, in milliseconds.
  ///
  /// A wait that storing does not fill, and that a short page takes on no near network, is the
  /// way's: pages grow.
  public mutating func note(waited: Int64, stored: Int64) {
    let idle = waited.subtractingReportingOverflow(stored)
    if !idle.overflow, idle.partialValue > Self.near { bytes = min(bytes &* 2, Self.greatest) }
  }

  /// Milliseconds that a page takes at most on a near network.
  private static let near: Int64 = 15
}

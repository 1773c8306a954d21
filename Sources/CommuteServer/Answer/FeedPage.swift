public import CommuteCore

/// The page of one feed while it is filled.
///
/// A scan shows it record after record: what it says ``Decision/take`` to is added, and the scan
/// ends when it says ``Decision/stop``.
public struct FeedPage: Sendable {
  /// What is to be done with a record.
  public enum Decision: Hashable, Sendable {
    /// It goes on the page: ``FeedPage/add(_:revision:)`` it.
    case take
    /// The device knows it from this answer's verdicts: go on with the next.
    case pass
    /// There is no room, or it is the next feed's turn: end the scan.
    case stop
  }

  /// The records on the page.
  public private(set) var records: [RecordMessage] = []
  /// The number of the last record that was taken or passed; nil before the first.
  private(set) var passed: UInt64?
  /// Whether records of this page's span are left that did not fit.
  private(set) var hasMore = false
  /// Whether another scan may take more.
  private(set) var isOpen: Bool
  /// What all pages of the answer may still take.
  private(set) var budget = PageBudget(limit: SyncRequest.Limit())
  private var share = (bytes: 0, records: 0)
  private var taken = (bytes: 0, records: 0)
  private let settled: Set<UInt64>

  init(settled: Set<UInt64>, isOpen: Bool) {
    self.settled = settled
    self.isOpen = isOpen
  }

  /// Begins a scan, which is the last one unless the page says otherwise.
  mutating func begin(bytes: Int, records: Int, budget: PageBudget) {
    share = (bytes, records)
    self.budget = budget
    taken = (0, 0)
    isOpen = false
  }

  /// Decides about the next record.
  ///
  /// - Parameters:
  ///   - revision: Its number.
  ///   - bytes: The bytes of its JSON.
  /// - Returns: What the scan does with it.
  public mutating func decide(revision: UInt64, bytes: Int) -> Decision {
    if settled.contains(revision) {
      passed = revision
      return .pass
    }
    // A feed's first record goes on whatever its share, or a large one would stop the feed.
    let isShareLeft = taken.bytes + bytes <= share.bytes && taken.records < share.records
    guard isShareLeft || taken.records == 0 else {
      isOpen = true
      return .stop
    }
    // The comma is a byte, too.
    guard budget.take(bytes + 1) else {
      hasMore = true
      return .stop
    }
    taken = (taken.bytes + bytes, taken.records + 1)
    return .take
  }

  /// Adds the record that was decided about.
  public mutating func add(_ record: RecordMessage, revision: UInt64) {
    records.append(record)
    passed = revision
  }
}

public import CommuteCore

/// The pages of one answer while they are filled: cut by bytes, shared by the feeds in turn.
///
/// A store makes it of heads that it read in the same transaction, before the records.
public struct AnswerPages: Sendable {
  /// The records of one feed that are looked at next, in the order of their revisions.
  public struct Span: Hashable, Sendable {
    /// The feed.
    public var feed: Key
    /// Records up to this number are passed already.
    public var after: UInt64
    /// Records beyond this number wait for the next answer.
    public var through: UInt64
  }

  /// Walks over a span in the order of the revisions, and does with each record what the page says.
  public typealias Scan<Failure: Error> = (
    _ span: Span, _ page: inout FeedPage
  ) throws(Failure) -> Void

  private struct Part {
    var feed: Key
    var head: FeedHead
    var reading: FeedReading
    var page: FeedPage
  }

  /// The least that a feed gets of a page before the next one has its turn.
  private static let leastShare = 4 << 10

  private var parts: [Part] = []
  private var budget: PageBudget
  private let limit: (bytes: Int, records: Int)
  /// Which feed has the first turn: another one in each request, so that none always comes last.
  private let first: UInt64

  /// Begins the pages of an answer.
  ///
  /// - Parameters:
  ///   - request: What was asked; a feed that is named twice counts once.
  ///   - heads: The heads of the feeds; a feed without one is empty.
  ///   - verdicts: Verdicts of this answer: a record they tell in its present revision is left out.
  ///   - epoch: The epoch that the numbers of this answer belong to.
  public init(
    _ request: SyncRequest, heads: [Key: FeedHead], verdicts: [Verdict], epoch: Epoch
  ) {
    budget = PageBudget(limit: request.limit)
    limit = (
      Int(min(request.limit.bytes, UInt64(Limits.pageBytes))),
      Int(clamping: request.limit.records)
    )
    first = request.nonce.low
    let settled = Self.settled(by: verdicts, of: request, epoch: epoch)
    var seen: Set<Key> = []
    for asked in request.feeds where seen.insert(asked.feed).inserted {
      let head = heads[asked.feed] ?? FeedHead()
      parts.append(Self.part(asked, head: head, settled: settled[asked.feed] ?? []))
    }
  }

  private static func part(
    _ asked: SyncRequest.Feed, head: FeedHead, settled: Set<UInt64>
  ) -> Part {
    let reading = FeedReading(asked, head: head)
    let isOpen = reading.after.map { $0 < head.head } ?? false
    return Part(
      feed: asked.feed, head: head, reading: reading,
      page: FeedPage(settled: settled, isOpen: isOpen))
  }

  private static func settled(
    by verdicts: [Verdict], of request: SyncRequest, epoch: Epoch
  ) -> [Key: Set<UInt64>] {
    var feeds: [OperationID: Key] = [:]
    for offer in request.offers { feeds[offer.id] = offer.feed }
    for sent in request.operations { feeds[sent.operation.id] = sent.operation.feed }
    var places: [Key: Set<UInt64>] = [:]
    for verdict in verdicts {
      switch verdict.kind {
      case .applied, .duplicate: break
      case .rejected, .later: continue
      }
      guard let revision = verdict.revision, revision.epoch == epoch, let feed = feeds[verdict.id]
      else { continue }
      places[feed, default: []].insert(revision.number)
    }
    return places
  }

  /// Fills the pages until they are full or nothing is left.
  public mutating func fill<Failure: Error>(_ scan: Scan<Failure>) throws(Failure) {
    var open = parts.indices.filter { parts[$0].page.isOpen }
    if !open.isEmpty {
      let start = Int(first % UInt64(open.count))
      open = Array(open[start...] + open[..<start])
    }
    while !open.isEmpty {
      let isAlone = open.count == 1
      let bytes = isAlone ? Int.max : max(limit.bytes / open.count, Self.leastShare)
      let records = isAlone ? Int.max : max(limit.records / open.count, 1)
      for index in open {
        parts[index].page.begin(bytes: bytes, records: records, budget: budget)
        try scan(span(of: index), &parts[index].page)
        budget = parts[index].page.budget
      }
      open.removeAll { !parts[$0].page.isOpen }
    }
  }

  private func span(of index: Int) -> Span {
    let part = parts[index]
    return Span(
      feed: part.feed, after: part.page.passed ?? part.reading.after ?? 0, through: part.head.head)
  }

  /// The parts of the answer, in the order in which the feeds were asked about.
  public var feeds: [SyncAnswer.Feed] {
    parts.map { part in
      guard let after = part.reading.after else {
        return SyncAnswer.Feed(
          feed: part.feed, grant: part.head.grant, cursor: nil, revoked: part.head.revoked)
      }
      return SyncAnswer.Feed(
        feed: part.feed, grant: part.head.grant,
        cursor: FeedReading.cursor(
          head: part.head.head, lastSent: part.page.passed, after: after,
          more: part.page.hasMore),
        fence: part.head.fence, records: part.page.records, more: part.page.hasMore,
        reset: part.reading.fence)
    }
  }
}

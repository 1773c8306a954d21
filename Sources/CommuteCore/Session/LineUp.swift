/// Which operations of the outbox go with the next request.
///
/// They go in line order, each with what it needs: a record that is to be made here, too, travels
/// in the same request or went before. Otherwise the first rows of a long line could wait for ever
/// for one behind them that never has its turn.
public enum LineUp {
  /// The first row of a record, as it stands in line.
  public struct Place: Hashable, Sendable {
    /// The record.
    public var key: RecordKey
    /// Whether the row makes the record, and no other device has made it meanwhile: nobody has to
    /// wait for a record that the server has.
    public var creates: Bool
    /// The records it needs.
    public var needs: [RecordKey]
    /// Whether it may be sent now: it is due, and its record's offer is not still to be sent.
    public var isReady: Bool

    /// Makes a place of its parts.
    public init(key: RecordKey, creates: Bool, needs: [RecordKey], isReady: Bool) {
      self.key = key
      self.creates = creates
      self.needs = needs
      self.isReady = isReady
    }
  }

  /// Chooses from a line.
  ///
  /// Rows that need each other are never parted; they may be more than `batch` where nothing else
  /// goes.
  ///
  /// - Parameters:
  ///   - line: The first rows of all records with rows, in line order.
  ///   - batch: The most that a request carries.
  ///   - offers: How many of those are taken by offers.
  /// - Returns: The places in the line that go, in line order.
  public static func chosen(from line: [Place], batch: Int, offers: Int = 0) -> [Int] {
    let batch = max(0, batch - offers)
    #if PLANTED
      if Planted.isActive(.heldRowsSent) { return Array(line.indices.prefix(batch)) }
      if Planted.isActive(.needsLeftBehind) {
        return Array(line.indices.filter { line[$0].isReady }.prefix(batch))
      }
    #endif
    guard line.contains(where: { !$0.needs.isEmpty }) else {
      return Array(line.indices.filter { line[$0].isReady }.prefix(batch))
    }
    var creations: [RecordKey: Int] = [:]
    for (index, place) in line.enumerated() where place.creates { creations[place.key] = index }
    var chosen: Set<Int> = []
    for index in line.indices where chosen.count < batch && !chosen.contains(index) {
      guard let group = group(of: index, in: line, creations: creations, without: chosen),
        chosen.isEmpty && offers == 0 || chosen.count + group.count <= batch
      else { continue }
      chosen.formUnion(group)
    }
    return chosen.sorted()
  }

  /// A row with all that it needs and that is not chosen yet; nil where something is not ready.
  private static func group(
    of index: Int, in line: [Place], creations: [RecordKey: Int], without chosen: Set<Int>
  ) -> Set<Int>? {
    var group: Set<Int> = []
    var open = [index]
    while let next = open.popLast() {
      guard !chosen.contains(next), group.insert(next).inserted else { continue }
      guard line[next].isReady else { return nil }
      for needed in line[next].needs {
        if let place = creations[needed] { open.append(place) }
      }
    }
    return group
  }
}

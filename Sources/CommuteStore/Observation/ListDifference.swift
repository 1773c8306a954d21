/// What came, went, moved and changed between two states of a list: what a list view animates.
///
/// Take away the removed places of the earlier list from the last to the first, then put in the
/// inserted and moved ones of the later list from the first to the last.
public struct ListDifference: Hashable, Sendable {
  /// A record that stands elsewhere among those that stayed.
  public struct Move: Hashable, Sendable {
    /// Its place in the earlier list.
    public var from: Int
    /// Its place in the later list.
    public var to: Int

    /// Makes a move.
    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// Places in the earlier list whose records are gone, rising.
  public var removed: [Int] = []
  /// Places in the later list whose records are new, rising.
  public var inserted: [Int] = []
  /// Records that moved, as few as can be, in the order of their later places.
  public var moved: [Move] = []
  /// Places in the later list whose records stayed with another content, rising.
  public var changed: [Int] = []

  /// Makes a difference of nothing.
  public init() {}

  /// Whether both lists are the same.
  public var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && moved.isEmpty && changed.isEmpty
  }

  /// Compares two lists, in neither of which an id stands twice.
  ///
  /// It takes time in proportion to their length; `isSame` says whether two states of one record
  /// have the same content.
  public init<Element: Identifiable>(
    from earlier: [Element], to later: [Element], isSame: (Element, Element) -> Bool
  ) {
    var head = 0
    while head < earlier.count, head < later.count, earlier[head].id == later[head].id {
      if !isSame(earlier[head], later[head]) { changed.append(head) }
      head += 1
    }
    var tail = 0
    while tail < earlier.count - head, tail < later.count - head,
      earlier[earlier.count - 1 - tail].id == later[later.count - 1 - tail].id
    {
      tail += 1
    }
    var places: [Element.ID: Int] = [:]
    for place in head..<(earlier.count - tail) { places[earlier[place].id] = place }
    var stayed: [Move] = []
    for place in head..<(later.count - tail) {
      guard let before = places.removeValue(forKey: later[place].id) else {
        inserted.append(place)
        continue
      }
      stayed.append(Move(from: before, to: place))
      if !isSame(earlier[before], later[place]) { changed.append(place) }
    }
    removed = places.values.sorted()
    let still = Self.longestRise(stayed.map(\.from))
    moved = stayed.enumerated().filter { !still.contains($0.offset) }.map(\.element)
    for place in (later.count - tail)..<later.count
    where !isSame(earlier[place - later.count + earlier.count], later[place]) {
      changed.append(place)
    }
  }

  /// The places of a longest rising part of different numbers: those records need not move.
  private static func longestRise(_ numbers: [Int]) -> Set<Int> {
    // For each length, the place of the least number that ends such a part; and what stands
    // before each place in its part.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      before[place] = low > 0 ? ends[low - 1] : nil
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var rise: Set<Int> = []
    var place = ends.last
    while let here = place {
      rise.insert(here)
      place = before[here]
    }
    return rise
  }
}

/// A list after a change, and what is different from the list before.
public struct ListChange<Model: Record>: Sendable {
  /// The records of the query in its order.
  public var records: [Model]
  /// What is different from the list that was delivered before; at first everything is inserted.
  public var difference: ListDifference
}

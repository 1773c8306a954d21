/// Collects the members of an object whose names are free, in whatever order they come.
///
/// In order they need no further work; the others are sorted once, so that a hostile order costs no
/// more than sorting.
struct FieldCollector<Value: Sendable> {
  private var entries: [FieldMap<Value>.Entry] = []
  private var isOrdered = true
  private var last: JSONText?

  init() {}

  /// Begins with room for as many members.
  init(capacity: Int) {
    entries.reserveCapacity(capacity)
  }

  /// Whether nothing was collected.
  var isEmpty: Bool { entries.isEmpty }

  /// Adds a member whose name stands in a message.
  @inline(__always)
  mutating func add(
    _ name: consuming Key, at text: JSONText, _ value: consuming Value,
    in reader: borrowing JSONReader
  ) {
    if let last, isOrdered { isOrdered = reader.precedes(last, text) }
    last = text
    entries.append(FieldMap.Entry(name: name, value: value))
  }

  /// The map of all; nil if a name came twice.
  consuming func finish() -> FieldMap<Value>? {
    if isOrdered { return FieldMap(ordered: entries) }
    let sorted = entries.sorted { $0.name < $1.name }
    for index in sorted.indices.dropFirst() where sorted[index].name == sorted[index - 1].name {
      return nil
    }
    return FieldMap(ordered: sorted)
  }
}

extension JSONReader {
  /// Whether the bytes of one text come before those of another.
  ///
  /// Of texts with escapes it says no: they are put in order later, by what they mean.
  @inline(__always)
  func precedes(_ one: JSONText, _ other: JSONText) -> Bool {
    guard one.isPlain, other.isPlain else { return false }
    let count = min(one.count, other.count)
    for index in 0..<count {
      let left = byte(one.start + index)
      let right = byte(other.start + index)
      if left != right { return left < right }
    }
    return one.count < other.count
  }
}

/// Collects the members of an object whose names are free, in whatever order they come.
///
/// In order they need no further work; the others are sorted once, so that a hostile order costs no
/// more than sorting.
struct FieldCollector<Value: Sendable> {
  private var entries: [FieldMap<Value>.Entry] = []
  private var isOrdered = true

  init() {}

  /// Begins with room for as many members.
  init(capacity: Int) {
    entries.reserveCapacity(capacity)
  }

  /// Whether nothing was collected.
  var isEmpty: Bool { entries.isEmpty }

  /// Adds a member.
  @inline(__always)
  mutating func add(_ name: consuming Key, _ value: consuming Value) {
    if isOrdered, let last = entries.last { isOrdered = last.name < name }
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

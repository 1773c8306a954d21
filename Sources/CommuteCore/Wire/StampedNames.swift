/// Which stamp stands for which field: `{stamp: [names]}`, or `{stamp: "*"}` for all fields.
struct StampedNames {
  /// The stamp of all fields; nil where they are named.
  var forAll: Stamp?
  /// The stamps by name where they are named.
  var named = FieldMap<Stamp>()
  /// Where to look next: names mostly come in the same order here and in the fields.
  private var next = 0
  /// How many names were asked for and found.
  private(set) var used = 0

  /// The stamp of a field; nil if it has none.
  mutating func stamp(of name: Key) -> Stamp? {
    if let forAll { return forAll }
    if next < named.count, named.entries[next].name == name {
      next += 1
    } else {
      let (index, found) = named.place(of: name)
      guard found else { return nil }
      next = index + 1
    }
    used += 1
    return named.entries[next - 1].value
  }
}

/// Collects the members of an object whose names are free, in whatever order they come.
///
/// In order they go straight into the map; the others are sorted once, so that a hostile order costs
/// no more than sorting.
struct FieldCollector<Value: Sendable> {
  private(set) var map = FieldMap<Value>()
  private var late: [FieldMap<Value>.Entry] = []

  /// Adds a member.
  mutating func add(_ name: Key, _ value: Value) {
    if let last = map.entries.last, !(last.name < name) {
      late.append(FieldMap.Entry(name: name, value: value))
    } else {
      map.append(name, value)
    }
  }

  /// The map of all; nil if a name came twice.
  consuming func finish() -> FieldMap<Value>? {
    if late.isEmpty { return map }
    var all = map.entries
    all.append(contentsOf: late)
    all.sort { $0.name < $1.name }
    var result = FieldMap<Value>()
    result.reserveCapacity(all.count)
    for entry in all {
      if let last = result.entries.last, last.name == entry.name { return nil }
      result.append(entry.name, entry.value)
    }
    return result
  }
}

extension JSONReader {
  /// Reads the stamps of fields.
  mutating func stampedNames() throws(JSONFault) -> StampedNames {
    var result = StampedNames()
    var collector = FieldCollector<Stamp>()
    skipSpace()
    let start = offset
    var members = try openObject()
    while try nextName(&members) {
      members.note()
      let stamp = try stamp(members.name)
      if result.forAll != nil { throw JSONFault(.stampedTwice, at: members.name.start) }
      if peek() == 0x22 {
        let text = try scanText()
        guard isText(text, "*") else { throw JSONFault(.expected(.names), at: text.start - 1) }
        guard collector.map.isEmpty else { throw JSONFault(.stampedTwice, at: text.start - 1) }
        result.forAll = stamp
      } else {
        try names(stampedBy: stamp, into: &collector)
      }
    }
    guard let named = collector.finish() else { throw JSONFault(.stampedTwice, at: start) }
    result.named = named
    return result
  }

  private mutating func names(
    stampedBy stamp: Stamp, into collector: inout FieldCollector<Stamp>
  ) throws(JSONFault) {
    guard peek() == 0x5B else { throw expected(.names) }
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) {
      collector.add(try key(), stamp)
    }
  }
}

extension JSONWriter {
  /// Writes stamps with the names they stand for, both in order; `"*"` where one stands for all.
  ///
  /// - Parameters:
  ///   - pairs: The fields to name, in the order of their names.
  ///   - isWhole: Whether these are all the fields there are.
  mutating func stamps(_ pairs: [(name: Key, stamp: Stamp)], isWhole: Bool) {
    append(0x7B)
    if isWhole, let first = pairs.first, pairs.allSatisfy({ $0.stamp == first.stamp }) {
      stampName(first.stamp)
      append("\"*\"")
    } else {
      let order = pairs.indices.sorted {
        pairs[$0].stamp != pairs[$1].stamp ? pairs[$0].stamp < pairs[$1].stamp : $0 < $1
      }
      var last: Stamp?
      for index in order {
        if pairs[index].stamp != last {
          if last != nil { append(0x5D) }
          last = pairs[index].stamp
          stampName(pairs[index].stamp)
          append(0x5B)
        }
        separate()
        text(pairs[index].name.text)
      }
      if last != nil { append(0x5D) }
    }
    append(0x7D)
  }

  private mutating func stampName(_ stamp: Stamp) {
    separate()
    self.stamp(stamp)
    append(0x3A)
  }
}

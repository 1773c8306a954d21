/// Which stamp stands for which field: `{stamp: [names]}`, or `{stamp: "*"}` for all fields.
struct StampedNames {
  /// The stamp of all fields; nil where they are named.
  var forAll: Stamp?
  /// Where in the reader's cache the names of this record are.
  fileprivate var range = 0..<0
  /// The stamps by name, where there are too many to look through.
  fileprivate var many: FieldMap<Stamp>?
  /// Where to look first: names mostly come in the same order here and in the fields.
  fileprivate var next = 0
  /// How many fields have found their stamp by name.
  fileprivate var used = 0
}

/// One name in a message and its stamp.
struct NamedStamp {
  var name: JSONText
  var stamp: Stamp
}

extension JSONReader {
  /// As many names as are looked through one by one.
  private static var fewNames: Int { 32 }

  /// Reads the stamps of the fields of a record or operation.
  mutating func stampedNames() throws(JSONFault) -> StampedNames {
    skipSpace()
    let start = offset
    let first = cache.namedStamps.count
    var result = StampedNames()
    var isEmpty = true
    var members = try openObject()
    while try nextName(&members) {
      let name = members.name
      let stamp = try stamp(name)
      if result.forAll != nil { throw JSONFault(.stampedTwice, at: name.start) }
      if peek() == 0x22 {
        guard isText(try scanText(), "*") else { throw JSONFault(.expected(.names), at: start) }
        guard isEmpty else { throw JSONFault(.stampedTwice, at: name.start) }
        result.forAll = stamp
      } else {
        note(name)
        try names(stampedBy: stamp)
      }
      isEmpty = false
    }
    result.range = first..<cache.namedStamps.count
    result.next = first
    if result.range.count > Self.fewNames { result.many = try map(of: result, at: start) }
    return result
  }

  private mutating func names(stampedBy stamp: Stamp) throws(JSONFault) {
    guard peek() == 0x5B else { throw expected(.names) }
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) {
      guard peek() == 0x22 else { throw expected(.text) }
      cache.namedStamps.append(NamedStamp(name: try scanText(), stamp: stamp))
    }
  }

  /// The stamps by name.
  mutating func map(
    of stamps: StampedNames, at start: Int
  ) throws(JSONFault) -> FieldMap<Stamp> {
    var collector = FieldCollector<Stamp>(capacity: stamps.range.count)
    for index in stamps.range {
      let name = cache.namedStamps[index].name
      collector.add(try key(name), cache.namedStamps[index].stamp)
    }
    guard let map = collector.finish() else { throw JSONFault(.stampedTwice, at: start) }
    return map
  }

  /// The stamp of a field whose name stands in the message; a fault if it has none.
  @inline(__always)
  mutating func stamp(
    of name: Key, at text: JSONText, in stamps: inout StampedNames
  ) throws(JSONFault) -> Stamp {
    if let forAll = stamps.forAll { return forAll }
    guard let stamp = namedStamp(of: name, at: text, in: &stamps) else {
      throw JSONFault(.unstamped, at: text.start)
    }
    stamps.used += 1
    return stamp
  }

  private mutating func namedStamp(
    of name: Key, at text: JSONText, in stamps: inout StampedNames
  ) -> Stamp? {
    if let many = stamps.many { return many[name] }
    var index = stamps.next
    for _ in stamps.range {
      if index == stamps.range.upperBound { index = stamps.range.lowerBound }
      if isSame(cache.namedStamps[index].name, text) {
        stamps.next = index + 1
        return cache.namedStamps[index].stamp
      }
      index += 1
    }
    return nil
  }

  /// Checks that every name found its field.
  ///
  /// Fields have different names, so as many finds as names mean that each was found once.
  @inline(__always)
  mutating func checkAllUsed(_ stamps: StampedNames, at start: Int) throws(JSONFault) {
    if stamps.used == stamps.range.count { return }
    _ = try map(of: stamps, at: start)
    throw JSONFault(.noSuchField, at: start)
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

/// What merge rules keep beside a value, as the JSON that stands in a record's `state`.
///
/// `Documentation/Protocol.md` has the forms. There is one way to write each, so that equal states
/// are equal bytes; anything that is not of the form reads as nothing.
extension FieldState {
  /// The totals of a counter.
  public var counter: CounterState { readState() }

  /// The additions and removals of a set.
  public var set: SetState { readState() }

  /// The siblings and claims of a rule that the server decides.
  var decided: DecidedState { readState() }

  /// The state as those write it who know the rule; empty where there is none.
  package func mergeState(under rule: MergeRule) -> [UInt8] {
    switch rule {
    case .latest, .maximum, .minimum, .serverWins: []
    case .growOnlyCounter, .counter: counter.json
    case .set: set.json
    case .text, .clientWins, .keepBoth: decided.json
    }
  }

  /// Reads the state; nothing where it is not of the form.
  private func readState<State: MergeState>() -> State {
    if merge.isEmpty { return State() }
    do throws(WireError) {
      return try WireEdge.read(merge, limit: .record) { (reader) throws(JSONFault) in
        var state = State()
        var members = try reader.openObject()
        while try reader.nextName(&members) {
          reader.note(members.name)
          try state.read(members.name, &reader)
        }
        return state
      }
    } catch {
      return State()
    }
  }

  /// The values that stand side by side under `keepBoth`, in the order of their origins; one where
  /// nothing is to be decided.
  public var siblings: [Sibling] {
    let siblings = merge.isEmpty ? [] : decided.siblings
    return siblings.isEmpty ? [Sibling(origin: origin, value: value)] : siblings
  }

  /// A counter's field.
  init(_ counter: CounterState, stamp: Stamp, origin: Stamp) {
    self.init(
      value: .integer(counter.value), stamp: stamp, origin: origin, merge: counter.json)
  }

  /// A set's field.
  init(_ set: SetState, stamp: Stamp, origin: Stamp) {
    self.init(value: .list(set.elements), stamp: stamp, origin: origin, merge: set.json)
  }
}

/// What a rule keeps beside a value.
private protocol MergeState {
  /// Makes a state of nothing.
  init()

  /// Reads one member of its JSON.
  mutating func read(_ name: JSONText, _ reader: inout JSONReader) throws(JSONFault)
}

extension CounterState: MergeState {
  /// The canonical JSON; nothing for a counter that nobody counted with.
  var json: [UInt8] {
    if entries.isEmpty { return [] }
    var writer = JSONWriter(capacity: entries.count * 32)
    writer.append(0x7B)
    for entry in entries {
      writer.separate()
      writer.digits(entry.replica.rawValue)
      writer.append(0x3A)
      writer.total(entry.total)
    }
    writer.append(0x7D)
    return writer.bytes
  }

  /// Reads one replica's total.
  mutating func read(_ name: JSONText, _ reader: inout JSONReader) throws(JSONFault) {
    let replica = ReplicaID(rawValue: try reader.digits(name))
    raise(replica, to: try reader.total())
  }
}

extension SetState: MergeState {
  /// The canonical JSON; nothing for a set that nothing was ever added to.
  var json: [UInt8] {
    if additions.isEmpty, removals.isEmpty { return [] }
    var writer = JSONWriter(capacity: additions.count * 64 + removals.count * 56)
    writer.append(0x7B)
    if !additions.isEmpty {
      writer.append("\"add\":")
      writer.additions(additions)
    }
    if !removals.isEmpty {
      writer.separate()
      writer.append("\"gone\":{")
      for removal in removals {
        writer.separate()
        writer.identifier(removal.tag)
        writer.append(0x3A)
        writer.unsigned(removal.milliseconds)
      }
      writer.append(0x7D)
    }
    writer.append(0x7D)
    return writer.bytes
  }

  /// Reads the additions or the removals.
  mutating func read(_ name: JSONText, _ reader: inout JSONReader) throws(JSONFault) {
    if reader.isName(name, "add") {
      for addition in try reader.additions() { add(addition) }
    } else if reader.isName(name, "gone") {
      for removal in try reader.removals() { remove(removal) }
    } else {
      try reader.skipValue()
    }
  }
}

extension DecidedState: MergeState {
  /// The canonical JSON; nothing for a lone value of which no claim is kept.
  var json: [UInt8] {
    if siblings.count < 2, claims.isEmpty { return [] }
    var writer = JSONWriter(capacity: 64 + siblings.count * 64 + claims.count * 40)
    writer.append(0x7B)
    if !claims.isEmpty {
      writer.append("\"claims\":")
      writer.stampList(claims)
    }
    if siblings.count > 1 {
      writer.separate()
      writer.append("\"siblings\":{")
      for sibling in siblings {
        writer.separate()
        writer.stamp(sibling.origin)
        writer.append(0x3A)
        writer.value(sibling.value)
      }
      writer.append(0x7D)
    }
    writer.append(0x7D)
    return writer.bytes
  }

  /// Reads the claims or the siblings; false order or two claims of one replica are put right.
  mutating func read(_ name: JSONText, _ reader: inout JSONReader) throws(JSONFault) {
    if reader.isName(name, "claims") {
      for claim in try reader.stampList() { note(claim) }
    } else if reader.isName(name, "siblings") {
      siblings = try reader.siblings()
      siblings.sort { $0.origin < $1.origin }
    } else {
      try reader.skipValue()
    }
  }
}

extension JSONWriter {
  /// Writes a total: what was added and what was taken away.
  mutating func total(_ total: CounterTotal) {
    append("[\"")
    unsigned(total.up)
    append("\",\"")
    unsigned(total.down)
    append("\"]")
  }

  /// Writes elements by their tags.
  mutating func additions(_ additions: [TaggedElement]) {
    append(0x7B)
    for addition in additions {
      separate()
      identifier(addition.tag)
      append(0x3A)
      text(addition.element)
    }
    append(0x7D)
  }

  /// Writes stamps in the order in which they are given.
  mutating func stampList(_ stamps: [Stamp]) {
    append(0x5B)
    for stamp in stamps {
      separate()
      self.stamp(stamp)
    }
    append(0x5D)
  }
}

extension JSONReader {
  /// Reads a total.
  mutating func total() throws(JSONFault) -> CounterTotal {
    let start = offset
    try openArray()
    var numbers: [UInt64] = []
    var isFirst = true
    while try nextElement(isFirst: &isFirst) {
      skipSpace()
      let at = offset
      let number = try integerText()
      guard number >= 0, numbers.count < 2 else { throw JSONFault(.outOfRange, at: at) }
      numbers.append(UInt64(number))
    }
    guard numbers.count == 2 else { throw JSONFault(.expected(.integerText), at: start) }
    return CounterTotal(up: numbers[0], down: numbers[1])
  }

  /// Reads elements by their tags.
  mutating func additions() throws(JSONFault) -> [TaggedElement] {
    var additions: [TaggedElement] = []
    var members = try openObject()
    while try nextName(&members) {
      note(members.name)
      let tag: ElementTag = try identifier(members.name)
      skipSpace()
      additions.append(TaggedElement(tag: tag, element: try fieldText()))
    }
    return additions
  }

  /// Reads removed additions.
  fileprivate mutating func removals() throws(JSONFault) -> [SetState.Removal] {
    var removals: [SetState.Removal] = []
    var members = try openObject()
    while try nextName(&members) {
      note(members.name)
      let tag: ElementTag = try identifier(members.name)
      removals.append(SetState.Removal(tag: tag, milliseconds: try unsigned()))
    }
    return removals
  }

  /// Reads stamps.
  mutating func stampList() throws(JSONFault) -> [Stamp] {
    var stamps: [Stamp] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { stamps.append(try stamp()) }
    return stamps
  }

  fileprivate mutating func siblings() throws(JSONFault) -> [Sibling] {
    var siblings: [Sibling] = []
    var members = try openObject()
    while try nextName(&members) {
      note(members.name)
      let origin = try stamp(members.name)
      siblings.append(Sibling(origin: origin, value: try value()))
    }
    return siblings
  }
}

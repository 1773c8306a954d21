extension OperationField {
  /// The members of rules as they stand in a change, by name: `replaces`, `rule`, `tags`, `total`.
  ///
  /// Stores keep them in this form, in which they lose nothing that this build does not know.
  public var ruleMembers: FieldMap<[UInt8]> {
    if isPlain { return others }
    var members = others
    if rule != .latest { members["rule"] = Array("\"\(rule.name.text)\"".utf8) }
    var writer = JSONWriter(capacity: 64)
    switch detail {
    case .none: break
    case .total(let shares):
      writer.shares(shares)
      members["total"] = writer.bytes
    case .tags(let change):
      writer.tags(change)
      members["tags"] = writer.bytes
    case .replaces(let origins):
      writer.stampList(origins)
      members["replaces"] = writer.bytes
    }
    return members
  }

  /// Takes members of rules as ``ruleMembers`` gives them.
  ///
  /// - Throws: ``WireError`` where a member is not of its form.
  public mutating func setRuleMembers(_ members: FieldMap<[UInt8]>) throws(WireError) {
    if members.isEmpty { return }
    var json: [UInt8] = [0x7B]
    for entry in members.entries {
      if json.count > 1 { json.append(0x2C) }
      json += FieldValue.text(entry.name.text).json
      json.append(0x3A)
      json += entry.value
    }
    json.append(0x7D)
    let stamp = stamp
    let read = try WireEdge.read(json, limit: .operation) { (reader) throws(JSONFault) in
      try reader.change(stamp, needsValue: false)
    }
    rule = read.rule
    detail = read.detail
    others = read.others
  }

  /// Whether a rule's own member stands in the place of a value.
  fileprivate var lacksValue: Bool {
    guard case .null = value else { return false }
    switch detail {
    case .total, .tags: return true
    case .none, .replaces: return false
    }
  }
}

extension JSONWriter {
  /// Writes one changed field.
  mutating func change(_ field: OperationField) {
    append(0x7B)
    if !field.lacksValue {
      append("\"value\":")
      value(field.value)
    }
    if let over = field.over {
      separate()
      append("\"over\":{\"stamp\":")
      stamp(over.stamp)
      if over.origin != over.stamp {
        append(",\"origin\":")
        stamp(over.origin)
      }
      append(0x7D)
    }
    if let base = field.base {
      separate()
      append("\"base\":")
      value(base)
    }
    if !field.isPlain {
      for entry in field.ruleMembers.entries {
        name(entry.name)
        append(entry.value)
      }
    }
    append(0x7D)
  }

  /// Writes the raised totals of a counter.
  fileprivate mutating func shares(_ shares: [CounterShare]) {
    append(0x7B)
    for share in shares {
      separate()
      digits(share.replica.rawValue)
      append(":{\"before\":")
      total(share.before)
      append(",\"after\":")
      total(share.after)
      append(0x7D)
    }
    append(0x7D)
  }

  /// Writes what a change adds to a set and removes from it.
  fileprivate mutating func tags(_ change: TagChange) {
    append(0x7B)
    if !change.added.isEmpty {
      append("\"add\":")
      additions(change.added)
    }
    if !change.removed.isEmpty {
      separate()
      append("\"remove\":[")
      for tag in change.removed {
        separate()
        identifier(tag)
      }
      append(0x5D)
    }
    append(0x7D)
  }
}

extension JSONReader {
  /// Reads one changed field.
  mutating func change(_ stamp: Stamp, needsValue: Bool = true) throws(JSONFault) -> OperationField
  {
    skipSpace()
    let start = offset
    var field = OperationField(value: .null, stamp: stamp)
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .value: field.value = try value()
      case .over: field.over = try skipNull() ? nil : over()
      case .base: field.base = try value()
      case .rule: try rule(of: &field)
      case .replaces: try take(.replaces(try origins()), into: &field)
      case .tags: try take(.tags(try tags()), into: &field)
      case .total: try take(.total(try shares()), into: &field)
      default: try skipValue()
      }
    }
    if needsValue, !members.has(.total), !members.has(.tags) {
      try need(.value, in: members, at: start)
    }
    return field
  }

  /// A change has the detail of one rule; two are two changes.
  private mutating func take(
    _ detail: RuleDetail, into field: inout OperationField
  ) throws(JSONFault) {
    guard field.detail == .none else { throw JSONFault(.expected(.oneRule), at: offset) }
    field.detail = detail
  }

  /// Reads the name of a rule; one that this build does not know is kept as it stands.
  private mutating func rule(of field: inout OperationField) throws(JSONFault) {
    skipSpace()
    let start = offset
    let json = try raw()
    if byte(start) == 0x22, json.count > 2, !json.contains(0x5C),
      let rule = MergeRule(name: Key(String(decoding: json[1..<json.count - 1], as: UTF8.self)))
    {
      field.rule = rule
    } else {
      field.others["rule"] = json
    }
  }

  private mutating func over() throws(JSONFault) -> Over {
    skipSpace()
    let start = offset
    var stamp = Stamp.floor
    var origin: Stamp?
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .stamp: stamp = try self.stamp()
      case .origin: origin = try self.stamp()
      default: try skipValue()
      }
    }
    try need(.stamp, in: members, at: start)
    return Over(stamp: stamp, origin: origin ?? stamp)
  }

  private mutating func origins() throws(JSONFault) -> [Stamp] {
    var origins = try stampList()
    origins.sort()
    return origins
  }

  private mutating func shares() throws(JSONFault) -> [CounterShare] {
    var shares: [CounterShare] = []
    var members = try openObject()
    while try nextName(&members) {
      note(members.name)
      let replica = ReplicaID(rawValue: try digits(members.name))
      shares.append(try share(of: replica))
    }
    shares.sort { $0.replica < $1.replica }
    return shares
  }

  private mutating func share(of replica: ReplicaID) throws(JSONFault) -> CounterShare {
    skipSpace()
    let start = offset
    var before: CounterTotal?
    var after: CounterTotal?
    var members = try openObject()
    while try nextName(&members) {
      note(members.name)
      if isName(members.name, "before") {
        before = try total()
      } else if isName(members.name, "after") {
        after = try total()
      } else {
        try skipValue()
      }
    }
    guard let before, let after else { throw JSONFault(.missing, at: start) }
    return CounterShare(replica: replica, before: before, after: after)
  }

  private mutating func tags() throws(JSONFault) -> TagChange {
    var change = TagChange()
    var members = try openObject()
    while try nextName(&members) {
      note(members.name)
      if isName(members.name, "add") {
        change.added = try additions()
      } else if isName(members.name, "remove") {
        var isFirst = true
        try openArray()
        while try nextElement(isFirst: &isFirst) { change.removed.append(try identifier()) }
      } else {
        try skipValue()
      }
    }
    return TagChange(added: change.added, removed: change.removed)
  }
}

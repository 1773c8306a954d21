extension Verdict {
  /// The members of a verdict that together say what became of the operation.
  fileprivate struct Parts {
    enum Kind {
      case applied, duplicate, rejected, later
    }

    var kind: Kind?
    var code = ""
    var message = ""
    var after: UInt64 = 0
  }
}

extension JSONWriter {
  /// Writes a verdict.
  mutating func verdict(_ verdict: Verdict) {
    append("{\"id\":")
    identifier(verdict.id)
    append(",\"verdict\":")
    switch verdict.kind {
    case .applied: append("\"applied\"")
    case .duplicate: append("\"duplicate\"")
    case .rejected(let code, let message):
      append("\"rejected\",\"code\":")
      text(code.name.text)
      if !message.utf8.isEmpty {
        append(",\"message\":")
        text(message)
      }
    case .later(let reason, let milliseconds):
      append("\"later\",\"code\":")
      text(reason.name.text)
      if milliseconds > 0 {
        append(",\"after\":")
        unsigned(milliseconds)
      }
    }
    settled(verdict)
    append(0x7D)
  }

  private mutating func settled(_ verdict: Verdict) {
    if let revision = verdict.revision {
      append(",\"revision\":")
      self.revision(revision)
    }
    if !verdict.stamps.isEmpty {
      append(",\"stamps\":{")
      for entry in verdict.stamps.entries {
        name(entry.name)
        stamp(entry.value)
      }
      append(0x7D)
    }
    if let deleted = verdict.deleted {
      append(",\"deleted\":")
      stamp(deleted)
    }
    if let record = verdict.record {
      append(",\"record\":")
      self.record(record)
    }
    if let holder = verdict.holder {
      append(",\"holder\":")
      identifier(holder)
    }
  }
}

extension JSONReader {
  /// Reads the verdicts of an answer.
  mutating func verdicts() throws(JSONFault) -> [Verdict] {
    var verdicts: [Verdict] = []
    try openArray()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) { verdicts.append(try verdict()) }
    return verdicts
  }

  private mutating func verdict() throws(JSONFault) -> Verdict {
    skipSpace()
    let start = offset
    var result = Verdict(id: OperationID(high: 0, low: 0), kind: .applied)
    var parts = Verdict.Parts()
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .id: result.id = try identifier()
      case .verdict: parts.kind = try verdictName()
      case .revision: result.revision = try skipNull() ? nil : revision()
      case .code: parts.code = try author()
      case .message: parts.message = try string()
      case .after: parts.after = try unsigned()
      case .stamps: result.stamps = try settledStamps()
      case .deleted: result.deleted = try stamp()
      case .record: result.record = try record()
      case .holder: result.holder = try identifier()
      default: try skipValue()
      }
    }
    try need(.id, in: members, at: start)
    guard let kind = parts.kind else { throw JSONFault(missing: .verdict, at: start) }
    switch kind {
    case .applied: result.kind = .applied
    case .duplicate: result.kind = .duplicate
    case .rejected:
      try need(.code, in: members, at: start)
      result.kind = .rejected(RejectionCode(name: Key(parts.code)), message: parts.message)
    case .later:
      try need(.code, in: members, at: start)
      let reason = DeferralReason(name: Key(parts.code))
      result.kind = .later(reason, afterMilliseconds: parts.after)
    }
    return result
  }

  private mutating func verdictName() throws(JSONFault) -> Verdict.Parts.Kind {
    guard peek() == 0x22 else { throw expected(.verdict) }
    let text = try scanText()
    if isText(text, "applied") { return .applied }
    if isText(text, "duplicate") { return .duplicate }
    if isText(text, "rejected") { return .rejected }
    if isText(text, "later") { return .later }
    throw JSONFault(.expected(.verdict), at: text.start - 1)
  }

  private mutating func settledStamps() throws(JSONFault) -> FieldMap<Stamp> {
    let start = offset
    var collector = FieldCollector<Stamp>()
    var members = try openObject()
    while try nextName(&members) {
      let name = try key(members.name)
      collector.add(name, try stamp())
    }
    guard let stamps = collector.finish() else { throw JSONFault(.duplicateName, at: start) }
    return stamps
  }
}

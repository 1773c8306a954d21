extension JSONWriter {
  /// Writes where a conversation stands; a screen reads the same to say what sync is doing.
  mutating func held(_ conversation: Conversation) {
    append("{\"failures\":")
    unsigned(UInt64(conversation.failures))
    append(",\"batch\":")
    unsigned(UInt64(conversation.batch))
    append(",\"state\":")
    switch conversation.state {
    case .idle: append("\"idle\"")
    case .exchanging(let again):
      append("\"exchanging\"")
      if again { append(",\"again\":true") }
    case .waiting(let failure, let due):
      append("\"waiting\",\"due\":")
      time(due)
      append(",\"failure\":")
      held(failure)
    case .blocked(let block):
      append("\"blocked\",\"block\":")
      switch block {
      case .signIn: append("\"signIn\"")
      case .update: append("\"update\"")
      case .otherAccount: append("\"otherAccount\"")
      case .refused(let status):
        append("\"refused\",\"status\":")
        integer(Int64(status))
      case .stopped(let stop):
        append("\"stopped\",\"message\":")
        text(stop.message)
      }
    }
    append(0x7D)
  }

  private mutating func held(_ failure: RoundFailure) {
    append("{\"kind\":")
    switch failure {
    case .unreachable: append("\"unreachable\"")
    case .timedOut: append("\"timedOut\"")
    case .notAnAnswer: append("\"notAnAnswer\"")
    case .unavailable(let status, let after):
      append("\"unavailable\",\"status\":")
      integer(Int64(status))
      append(",\"after\":")
      unsigned(after)
    case .tooLarge: append("\"tooLarge\"")
    case .storage: append("\"storage\"")
    case .cancelled: append("\"cancelled\"")
    default: append("\"other\"")
    }
    append(",\"message\":")
    text(failure.message)
    append(0x7D)
  }

  /// Writes what a conversation wants done.
  mutating func effects(_ effects: [Conversation.Effect]) {
    append(0x5B)
    for effect in effects {
      separate()
      switch effect {
      case .exchange(let batch):
        append("{\"do\":\"exchange\",\"batch\":")
        unsigned(UInt64(batch))
      case .scheduleRetry(let at, let after):
        append("{\"do\":\"retry\",\"at\":")
        time(at)
        append(",\"after\":")
        unsigned(after)
      case .cancelRetry: append("{\"do\":\"cancelRetry\"")
      }
      append(0x7D)
    }
    append(0x5D)
  }
}

extension JSONReader {
  /// Reads where a conversation stands; a block that only words tell apart becomes a refusal.
  mutating func heldConversation() throws(JSONFault) -> Conversation {
    var state: Key = ""
    var block: Key = ""
    var failures: UInt32 = 0
    var batch: Int?
    var again = false
    var due: Int64 = 0
    var status = 0
    var failure: RoundFailure?
    var members = try openObject()
    while try nextName(&members) {
      let name = members.name
      if isName(name, "state") {
        state = try key()
      } else if isName(name, "block") {
        block = try key()
      } else if isName(name, "failures") {
        failures = UInt32(clamping: try unsigned())
      } else if isName(name, "batch") {
        batch = Int(clamping: try unsigned())
      } else if isName(name, "again") {
        again = try boolean()
      } else if isName(name, "due") {
        due = try integer()
      } else if isName(name, "status") {
        status = Int(clamping: try unsigned())
      } else if isName(name, "failure") {
        failure = try roundFailure()
      } else {
        try skipValue()
      }
    }
    let whole: Conversation.State
    switch state {
    case "exchanging": whole = .exchanging(again: again)
    case "waiting": whole = .waiting(failure: failure ?? .timedOut, due: due)
    case "blocked":
      switch block {
      case "signIn": whole = .blocked(.signIn)
      case "update": whole = .blocked(.update)
      case "otherAccount": whole = .blocked(.otherAccount)
      default: whole = .blocked(.refused(status: status))
      }
    default: whole = .idle
    }
    return Conversation(state: whole, failures: failures, batch: batch)
  }

  /// Reads a failure: a status with what it asks for, or a kind with words.
  mutating func roundFailure() throws(JSONFault) -> RoundFailure {
    var kind: Key = ""
    var status = 0
    var after: UInt64 = 0
    var message = ""
    var members = try openObject()
    while try nextName(&members) {
      if isName(members.name, "kind") {
        kind = try key()
      } else if isName(members.name, "status") {
        status = Int(clamping: try unsigned())
      } else if isName(members.name, "after") {
        after = try unsigned()
      } else if isName(members.name, "message") {
        message = try string()
      } else {
        try skipValue()
      }
    }
    switch kind {
    case "unreachable": return .unreachable(message)
    case "timedOut": return .timedOut
    case "notAnAnswer": return .notAnAnswer(message)
    case "tooLarge": return .tooLarge
    case "storage": return .storage(message)
    case "cancelled": return .cancelled
    default: return RoundFailure(status: status, retryAfterMilliseconds: after)
    }
  }
}

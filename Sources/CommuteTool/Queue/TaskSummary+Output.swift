import CommuteCore
import CommuteTasks

extension TaskSummary {
  /// The task for programs.
  var members: [JSON.Member] {
    [
      JSON.Member(name: "number", value: .integer(number)),
      JSON.Member(name: "id", value: .text(id.text)),
      JSON.Member(name: "kind", value: .text(kind)),
      JSON.Member(name: "node", value: JSON(node)),
      JSON.Member(name: "lane", value: .text(lane)),
      JSON.Member(name: "state", value: .text(state.word)),
      JSON.Member(name: "urgency", value: .text("\(urgency)")),
      JSON.Member(name: "requires", value: JSON(requires.words)),
      JSON.Member(name: "due", value: .text(Moment.text(due))),
      JSON.Member(name: "attempt", value: JSON(attempt)),
      JSON.Member(name: "failures", value: JSON(failures)),
      JSON.Member(name: "crashes", value: JSON(crashes)),
      JSON.Member(name: "interruptions", value: JSON(interruptions)),
      JSON.Member(name: "reason", value: JSON(reason)),
      JSON.Member(name: "created", value: .text(Moment.text(created))),
    ]
  }

  /// What it is called in a sentence.
  var title: String { node.map { "\($0) (\(kind))" } ?? kind }
}

extension TaskState {
  /// The state as one word.
  var word: String { "\(self)" }

  /// The state as one character.
  var mark: String {
    switch self {
    case .blocked: "·"
    case .scheduled: "◷"
    case .ready: "○"
    case .running: "▶"
    case .external: "⇢"
    case .parked: "‖"
    case .succeeded: "✓"
    case .failed: "✗"
    case .cancelled, .skipped, .expired: "–"
    }
  }
}

extension Requirements {
  private static let names: [(Requirements, String)] = [
    (.network, "network"), (.unmetered, "unmetered"), (.unconstrained, "unconstrained"),
    (.charging, "charging"), (.batteryOK, "battery"), (.idle, "idle"), (.signedIn, "signed in"),
  ]

  /// The signals by name; those of an app by the numbers of their bits.
  var words: [String] {
    var words: [String] = []
    for bit in 0..<UInt64.bitWidth where rawValue >> UInt64(bit) & 1 == 1 {
      let one = Requirements(rawValue: 1 << UInt64(bit))
      words.append(Self.names.first { $0.0 == one }?.1 ?? "signal \(bit)")
    }
    return words
  }
}

extension Blocker {
  /// The reason in words; tasks by their numbers where they are known.
  func sentence(_ numbers: [TaskID: Int64]) -> String {
    func name(_ id: TaskID) -> String { numbers[id].map { "task \($0)" } ?? id.text }
    switch self {
    case .due(let time): return "it is due at \(Moment.text(time))"
    case .backoff(let until, let failures):
      let count = Plural.text(failures, "failure")
      return "after \(count) it is tried again at \(Moment.text(until))"
    case .missing(let signals): return "it waits for: \(signals.words.joined(separator: ", "))"
    case .dependency(let id): return "it comes after \(name(id)), which is not over"
    case .serial(let id): return "\(name(id)) with the same serial key is before it"
    case .lanePaused(let lane): return "the lane \(lane) is paused"
    case .laneFull(let lane): return "the lane \(lane) runs as many as it may"
    case .noHandler(let kind): return "nobody here handles \(kind)"
    case .parked(let reason): return "it is parked for a person: \(reason)"
    case .running(let process): return "process \(process) runs it"
    case .stopping: return "the handler of its last attempt has not returned"
    case .alone: return "a process has died in it: it waits until nothing else runs beside it"
    case .external(let token): return "it was handed off and waits for the token \(token)"
    case .over(let state): return "it is over: \(state.word)"
    }
  }
}

extension TaskEvent {
  /// The event for programs.
  var json: JSON {
    [
      "event": .integer(number), "at": .text(Moment.text(at)), "type": .text("\(type)"),
      "task": JSON(task?.text), "graph": JSON(graph?.text),
      "attempt": attempt.map { .integer($0) } ?? .null, "detail": JSON(detail),
    ]
  }

  /// The event in a line, the task by its name.
  func line(_ name: String) -> String {
    let detail = detail.map { " · \($0)" } ?? ""
    let attempt = attempt.map { $0 > 0 ? " (attempt \($0))" : "" } ?? ""
    return "\(Moment.text(at))  \(number)  \(type)  \(name)\(attempt)\(detail)"
  }
}

import CommuteCore
import CommuteTasks

/// `commute queue show`.
struct QueueShowCommand: QueueCommand {
  static let spec = CommandSpec.queue(
    "show", "shows one task whole: how it was queued, where it stands and what happened to it",
    [QueueReference.task],
    options: [OptionSpec("payload", "shows payload and result, too")])

  let device: DeviceOptions
  private let reference: QueueReference
  private let showsPayload: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    reference = QueueReference(try arguments.required("TASK"))
    showsPayload = arguments.has("payload")
  }

  func run(on queue: TaskQueue, of device: OpenDevice) async throws(Failure) -> Report {
    let task = try await reference.task(in: queue)
    let (details, history) = try await Self.asking { () throws(QueueError) in
      (
        try await queue.details(of: task.id, showingPayload: showsPayload),
        try await queue.history(of: task.id)
      )
    }
    guard let details else {
      throw Failure(.refused, "task \(task.number) is gone by now; `commute queue list` shows all")
    }
    return Report(
      lines(details) + [""] + history.map { $0.line(task.title) },
      .object(
        task.members + members(details)
          + [JSON.Member(name: "history", value: .list(history.map(\.json)))]))
  }

  private func lines(_ details: TaskDetails) -> [String] {
    let task = details.summary
    var table = TextTable(["", ""], widthLimit: 100)
    func add(_ name: String, _ value: String?) {
      if let value, !value.isEmpty { table.rows.append([name, value]) }
    }
    add("task", "\(task.number)  \(task.id.text)")
    add("what", "\(task.title), version \(details.version), \(details.payloadLength) bytes")
    add("payload", details.payload.map { String(decoding: $0, as: UTF8.self) })
    add("result", details.result.map { String(decoding: $0, as: UTF8.self) })
    add("state", "\(task.state.mark) \(task.state.word)")
    add("last word", task.reason)
    add("queued", Moment.text(task.created))
    add("due", Moment.text(task.due))
    add("must start by", details.expires.map(Moment.text))
    add("lane", "\(task.lane), \(task.urgency)")
    add("waits for", task.requires.words.joined(separator: ", "))
    add("unique key", details.uniqueKey)
    add("serial key", details.serialKey)
    add("tags", details.tags.joined(separator: ", "))
    add("steps done", details.steps.joined(separator: ", "))
    add("time limit", details.timeout.map { Moment.span(Int64(clamping: $0)) })
    add(
      "counts",
      "\(Plural.text(task.attempt, "attempt")), \(task.failures) of"
        + " \(Plural.text(Int(details.retry.failureLimit), "failure")),"
        + " \(Plural.text(task.crashes, "crash", "crashes")),"
        + " \(Plural.text(task.interruptions, "interruption"))")
    return table.plain
  }

  private func members(_ details: TaskDetails) -> [JSON.Member] {
    [
      JSON.Member(name: "version", value: JSON(details.version)),
      JSON.Member(name: "payloadBytes", value: JSON(details.payloadLength)),
      JSON.Member(name: "payload", value: made(details.payload)),
      JSON.Member(name: "result", value: made(details.result)),
      JSON.Member(name: "expires", value: JSON(details.expires.map(Moment.text))),
      JSON.Member(
        name: "timeoutMilliseconds",
        value: details.timeout.map { .integer(Int64(clamping: $0)) } ?? .null),
      JSON.Member(name: "failureLimit", value: JSON(Int(details.retry.failureLimit))),
      JSON.Member(name: "uniqueKey", value: JSON(details.uniqueKey)),
      JSON.Member(name: "serialKey", value: JSON(details.serialKey)),
      JSON.Member(name: "tags", value: JSON(details.tags)),
      JSON.Member(name: "graph", value: JSON(details.graph?.text)),
      JSON.Member(name: "steps", value: JSON(details.steps)),
    ]
  }

  /// Bytes that the queue wrote as JSON; anything else as text.
  private func made(_ bytes: [UInt8]?) -> JSON {
    JSON(bytes.map { String(decoding: $0, as: UTF8.self) })
  }
}

/// `commute queue explain`.
struct QueueExplainCommand: QueueCommand {
  static let spec = CommandSpec.queue(
    "explain", "says why a task does not run now", [QueueReference.task])

  let device: DeviceOptions
  private let reference: QueueReference

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    reference = QueueReference(try arguments.required("TASK"))
  }

  func run(on queue: TaskQueue, of device: OpenDevice) async throws(Failure) -> Report {
    let task = try await reference.task(in: queue)
    let (blockers, others) = try await Self.asking { () throws(QueueError) in
      (try await queue.explain(task.id), try await queue.tasks(limit: .max))
    }
    let numbers = Dictionary(others.map { ($0.id, $0.number) }, uniquingKeysWith: max)
    let sentences = blockers.map { $0.sentence(numbers) }
    return Report(
      sentences.isEmpty
        ? ["nothing stands in its way: `commute queue run` takes it next"] : sentences,
      ["task": .integer(task.number), "blockers": JSON(sentences)])
  }
}

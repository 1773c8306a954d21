import CommuteCore
import CommuteTasks

/// `commute queue list`.
struct QueueListCommand: QueueCommand {
  static let spec = CommandSpec.queue(
    "list", "shows the tasks that are not over, in the order of queueing",
    options: [
      OptionSpec("all", "those that are over, too"),
      OptionSpec("limit", "N", "the newest N; 100 unless told otherwise"),
    ])

  let device: DeviceOptions
  private let includesOver: Bool
  private let limit: Int

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    includesOver = arguments.has("all")
    limit = try arguments.number("limit", in: 1...1_000_000) ?? 100
  }

  func run(on queue: TaskQueue, of device: OpenDevice) async throws(Failure) -> Report {
    let (tasks, figures) = try await Self.asking { () throws(QueueError) in
      (try await queue.tasks(includingOver: includesOver, limit: limit), try await queue.figures())
    }
    var table = TextTable(
      ["task", "what", "lane", "state", "attempts", "last word"], widthLimit: 60)
    table.rows = tasks.map { task in
      [
        String(task.number), task.title, task.lane, "\(task.state.mark) \(task.state.word)",
        task.attempt == 0 ? "" : String(task.attempt), task.reason ?? "",
      ]
    }
    let depth = figures.map(\.depth).reduce(0, +)
    let rest =
      "\(Plural.text(depth, "task")) not over; `commute queue explain TASK` says why one waits"
    return Report(
      tasks.isEmpty ? ["nothing waits in the queue"] : table.withHeads + ["", rest],
      [
        "tasks": .list(tasks.map { .object($0.members) }),
        "lanes": .list(figures.map(\.json)),
      ])
  }
}

extension QueueFigures {
  /// The figures for programs.
  fileprivate var json: JSON {
    let counts = counts.sorted { $0.key.rawValue < $1.key.rawValue }
    return [
      "lane": .text(lane), "urgency": .text("\(urgency)"), "depth": JSON(depth),
      "failureRate": failureRate.map { .double($0) } ?? .null,
      "counts": .object(
        counts.map { JSON.Member(name: $0.key.word, value: JSON($0.value)) }),
    ]
  }
}

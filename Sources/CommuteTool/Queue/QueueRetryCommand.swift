import CommuteCore
import CommuteTasks

/// `commute queue retry`.
struct QueueRetryCommand: QueueCommand {
  static let spec = CommandSpec.queue(
    "retry", "tries a task again that is over or parked, and what was skipped because of it",
    [QueueReference.task])

  let device: DeviceOptions
  private let reference: QueueReference

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    reference = QueueReference(try arguments.required("TASK"))
  }

  func run(on queue: TaskQueue, of device: OpenDevice) async throws(Failure) -> Report {
    let task = try await reference.task(in: queue)
    let isRevived = try await Self.asking { () throws(QueueError) in
      try await queue.retry(task.id)
    }
    guard isRevived else {
      let cause =
        task.state == .skipped
        ? "it was skipped: retry the task before it that failed" : "it is \(task.state.word)"
      throw Failure(.refused, "there is nothing to try again in task \(task.number): \(cause)")
    }
    return Report(
      ["task \(task.number), \(task.title), is tried again by whoever runs the queue"],
      ["retried": .integer(task.number)])
  }
}

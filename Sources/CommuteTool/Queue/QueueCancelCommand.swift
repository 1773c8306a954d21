import CommuteCore
import CommuteTasks

/// `commute queue cancel`.
struct QueueCancelCommand: QueueCommand {
  static let spec = CommandSpec.queue(
    "cancel", "takes a task back; one that runs is told, one that failed holds up no other",
    [QueueReference.task])

  let device: DeviceOptions
  private let reference: QueueReference

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    reference = QueueReference(try arguments.required("TASK"))
  }

  func run(on queue: TaskQueue, of device: OpenDevice) async throws(Failure) -> Report {
    let task = try await reference.task(in: queue)
    guard !task.state.isTerminal || task.state == .failed else {
      throw Failure(.refused, "task \(task.number) is over already: \(task.state.word)")
    }
    try await Self.asking { () throws(QueueError) in try await queue.cancel(task.id) }
    if task.state == .failed {
      return Report(
        ["task \(task.number), \(task.title), holds up no other"],
        ["cancelled": .integer(task.number)])
    }
    let line =
      task.state == .running
      ? "task \(task.number), \(task.title), is told to end"
      : "task \(task.number), \(task.title), is cancelled"
    return Report([line], ["cancelled": .integer(task.number)])
  }
}

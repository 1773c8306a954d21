import CommuteCore
import CommuteTasks

/// `commute queue watch`.
struct QueueWatchCommand: QueueCommand {
  static let spec = CommandSpec.queue(
    "watch", "tells what happens in the queue until Ctrl-C, whoever runs it")

  let endsBySignal = true
  let device: DeviceOptions
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    isJSON = arguments.has("json")
  }

  func run(on queue: TaskQueue, of device: OpenDevice) async throws(Failure) -> Report {
    let output = Output(isJSON: isJSON)
    let watching = Task { () -> Failure? in
      do throws(Failure) {
        try await watch(queue, output)
        return nil
      } catch {
        return error
      }
    }
    let listening = Task {
      await Signals.untilEnding()
      watching.cancel()
    }
    let failure = await watching.value
    listening.cancel()
    if let failure { throw failure }
    return Report([], ["watched": true])
  }

  /// How often it looks, in milliseconds: another process tells nobody what it writes.
  private static let pause = 200

  private func watch(_ queue: TaskQueue, _ output: Output) async throws(Failure) {
    var last = try await Self.asking { () throws(QueueError) in try await queue.lastEvent() }
    output.say("waiting for events; Ctrl-C ends")
    while !Task.isCancelled {
      let after = last
      let events = try await Self.asking { () throws(QueueError) in
        try await queue.events(after: after)
      }
      for event in events {
        let name = try await name(event, queue)
        let isSeen = output.say([event.line(name)])
        let isHeard = output.tell(event.json)
        guard isSeen, isHeard else { return }
        last = event.number
      }
      if events.isEmpty { try? await Task.sleep(for: .milliseconds(Self.pause)) }
    }
  }

  private func name(_ event: TaskEvent, _ queue: TaskQueue) async throws(Failure) -> String {
    guard let id = event.task else { return "graph \(event.graph?.text ?? "")" }
    let task = try await Self.asking { () throws(QueueError) in try await queue.task(id) }
    return task.map { "task \($0.number), \($0.title)" } ?? id.text
  }
}

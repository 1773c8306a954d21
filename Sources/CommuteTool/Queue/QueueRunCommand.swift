import CommuteSync
import CommuteTasks

/// `commute queue run`.
struct QueueRunCommand: QueueCommand {
  static let spec = CommandSpec.queue(
    "run", "runs tasks until Ctrl-C, or with --drain until none is ready",
    details: [
      "Several processes may run one queue: each task is run by one of them. What is running when",
      "it is ended is ready again at once. A device that knows its server syncs, too, when a",
      "round's time has come.",
    ],
    options: [
      OptionSpec("drain", "ends when nothing is ready"),
      OptionSpec("within", "SECONDS", "ends a drain after that long in any case; an hour"),
    ])

  let endsBySignal = true
  let device: DeviceOptions
  private let drains: Bool
  private let seconds: Int

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    let limit: Int? = try arguments.number("within", in: 1...86_400)
    drains = arguments.has("drain") || limit != nil
    seconds = limit ?? 3_600
  }

  func run(on queue: TaskQueue, of device: OpenDevice) async throws(Failure) -> Report {
    let work: BackgroundWork? =
      if let way = try await device.way() { try await BackgroundWork(way, on: device) } else { nil }
    let running = Task { () -> Result<DrainReport, QueueError> in
      do throws(QueueError) {
        return .success(try await run(work?.queue ?? queue, work))
      } catch {
        return .failure(error)
      }
    }
    let listening = Task {
      await Signals.untilEnding()
      running.cancel()
    }
    let result = await running.value
    listening.cancel()
    let report = try await Self.asking { () throws(QueueError) in try result.get() }
    return Self.account(of: report)
  }

  private func run(
    _ queue: TaskQueue, _ work: BackgroundWork?
  ) async throws(QueueError) -> DrainReport {
    guard let work else {
      return drains
        ? try await queue.drain(until: .now + .seconds(seconds)) : try await queue.run()
    }
    try await work.sync.attach(work.driver, to: queue)
    // Ends with this call.
    async let _: Void = queue.follow(work.monitor)
    let report =
      drains ? try await queue.drain(until: .now + .seconds(seconds)) : try await queue.run()
    work.sync.detach(from: queue)
    await work.driver.stop()
    return report
  }

  private static func account(of report: DrainReport) -> Report {
    let next = report.nextDue.map { ", the next is due at \(Moment.text($0))" } ?? ""
    return Report(
      [
        "\(Plural.text(report.ran, "attempt")) ended: \(report.succeeded) succeeded,"
          + " \(report.failed) failed for good; \(report.left) left\(next)"
      ],
      [
        "attempts": JSON(report.ran), "succeeded": JSON(report.succeeded),
        "failed": JSON(report.failed), "left": JSON(report.left),
        "nextDue": JSON(report.nextDue.map(Moment.text)),
      ],
      code: report.failed > 0 ? .refused : .done,
      complaint: report.failed > 0
        ? "\(Plural.text(report.failed, "task")) failed for good; `commute queue list --all` shows"
          + " why" : nil)
  }
}

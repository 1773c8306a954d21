import CommuteCore
import CommuteStore
import CommuteTasks

/// A command of the queue: it opens a device and its queue, does one thing, and closes both.
protocol QueueCommand: BooksCommand {
  /// Does it.
  func run(on queue: TaskQueue, of device: OpenDevice) async throws(Failure) -> Report
}

extension QueueCommand {
  func run(on device: OpenDevice) async throws(Failure) -> Report {
    let queue = try await Self.asking { () throws(QueueError) in
      try await TaskQueue(device.store, ProgramTasks.handlers(on: device))
    }
    return try await run(on: queue, of: device)
  }

  /// Runs a call of the queue.
  static func asking<Result: Sendable>(
    _ body: () async throws(QueueError) -> Result
  ) async throws(Failure) -> Result {
    do throws(QueueError) { return try await body() } catch { throw Failure(queue: error) }
  }
}

extension Failure {
  /// Translates what a queue throws.
  init(queue error: QueueError) {
    if case .store(let error) = error {
      self.init(error)
    } else {
      self.init(.refused, error.description)
    }
  }
}

extension CommandSpec {
  /// A command of the queue, with the options that all of them share.
  static func queue(
    _ word: String, _ summary: String, details: [String] = [], _ arguments: [ArgumentSpec] = [],
    options: [OptionSpec] = []
  ) -> CommandSpec {
    CommandSpec(
      words: ["queue", word], summary: summary, details: details, arguments: arguments,
      options: options + DeviceOptions.specs)
  }
}

/// A task or a graph as a command line names it: by its number or its whole id.
struct QueueReference: Sendable {
  /// The word of a command that names a task.
  static let task = ArgumentSpec("TASK", "its number, as `list` shows it, or its whole id")

  private let word: String

  init(_ word: String) {
    self.word = word
  }

  /// Finds the task.
  func task(in queue: TaskQueue) async throws(Failure) -> TaskSummary {
    do throws(QueueError) {
      let found =
        if let number = Int64(word) {
          try await queue.task(number: number)
        } else if let id = TaskID(text: word) {
          try await queue.task(id)
        } else {
          TaskSummary?.none
        }
      if let found { return found }
    } catch {
      throw Failure(queue: error)
    }
    throw Failure(.refused, "there is no task \(word); `commute queue list --all` shows all")
  }

  /// Finds the graph.
  func graph(in queue: TaskQueue) async throws(Failure) -> GraphSummary {
    let graphs: [GraphSummary]
    do throws(QueueError) {
      graphs = try await queue.graphs(includingOver: true, limit: .max)
    } catch {
      throw Failure(queue: error)
    }
    let found = graphs.last { graph in
      String(graph.number) == word || graph.id.text == word || graph.name == word
    }
    if let found { return found }
    throw Failure(.refused, "there is no graph \(word); `commute queue graph` shows all")
  }
}

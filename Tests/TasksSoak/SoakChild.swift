import CommuteCore
import CommuteHTTP
import CommuteStore
import CommuteTasks
import Foundation

/// A process that runs the queue, or that fills it.
struct SoakChild: Sendable {
  let order: SoakOrder
  /// Waits by the system's clock: here real time is what is tried.
  private let pause = QueueSettings().sleep
  private var draw: SoakDraw { SoakDraw(seed: order.seed, tasks: order.tasks) }

  init(_ order: SoakOrder) {
    self.order = order
  }

  /// Does what was ordered; ends with its input, so that nothing outlives the runner.
  func run() async -> Int32 {
    Thread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      _exit(0)
    }.start()
    while true {
      do {
        let store = try open()
        switch order.role {
        case .worker: try await work(store)
        case .submitter:
          try await submit(store)
          return 0
        }
      } catch {
        // A full disk is nobody's fault here: the next try may find space.
        tell("trouble \(error)")
        try? await pause(50)
      }
    }
  }

  private func open() throws -> Store {
    var options = StoreOptions(deviceName: "soak")
    options.clock = try SoakClock(order.clock).clock
    options.hostDirectory = "\(order.folder)-hosts"
    return try Store(
      order.folder, tables: [DoneRow.table, QueuedRow.table], options: options)
  }

  /// Tells the runner a line.
  private func tell(_ line: String) {
    let bytes = Array((line.split(whereSeparator: \.isNewline).joined(separator: " ") + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }

  // MARK: - Running

  private func work(_ store: Store) async throws {
    let client = CurlClient()
    var handlers = Handlers()
    handlers.on(SoakTask.self) { task, context in
      try await handle(task, context, store, client)
    }
    var settings = QueueSettings()
    settings.lease = 400
    settings.poll = 50
    let queue = try await TaskQueue(store, handlers, settings: settings)
    do {
      try await queue.run()
    } catch {
      await store.close()
      throw error
    }
  }

  private func handle(
    _ task: SoakTask, _ context: TaskContext, _ store: Store, _ client: CurlClient
  ) async throws -> Outcome<Int> {
    for ref in task.before { _ = try await context.value(ref) }
    switch draw.mode(task.number) {
    case .poison:
      kill(getpid(), SIGKILL)
      return .fail(because: "still alive")
    case .failsOnce where context.attempt == 1:
      return .retry(afterMilliseconds: 10, because: "the first attempt fails")
    case .slow(let milliseconds):
      try await pause(Int64(milliseconds))
      try await call(task.number, context, client)
    case .step:
      _ = try await context.step("call") {
        try await call(task.number, context, client)
        return true
      }
    case .plain, .failsOnce: try await call(task.number, context, client)
    }
    let row = DoneRow(number: task.number, key: context.idempotencyKey)
    if order.isNaive {
      try await store.write { tx in _ = try tx.insert(row) }
      return .done(task.number)
    }
    return .done(task.number, effects: { tx in _ = try tx.insert(row) })
  }

  /// Calls the server, which writes down number and key.
  private func call(_ number: Int, _ context: TaskContext, _ client: CurlClient) async throws {
    let url = "http://127.0.0.1:\(order.port)/call?number=\(number)&key=\(context.idempotencyKey)"
    let response = try await client.send(HTTPRequest(url: url, timeLimit: .seconds(10)))
    guard response.status == 200 else { throw SoakFailure(message: "status \(response.status)") }
  }

  // MARK: - Queueing

  private static let batch = 20
  /// How many tasks wait at most, so that processes are killed while there are some to come.
  private static let most = 2_000

  private func submit(_ store: Store) async throws {
    let queue = try await TaskQueue(store, Handlers())
    for lane in ["a", "b", "c"] { try await queue.setWidth(8, ofLane: lane) }
    let graphNumbers = SoakDraw.graphStart
    var next =
      try await store.read { tx in
        try tx.fetch(QueuedRow.where(\.number < graphNumbers).order(by: \.number, .descending))
          .first?.number ?? 0
      } + 1
    var graph =
      try await store.read { tx in
        try tx.fetch(
          QueuedRow.where(\.number >= graphNumbers).order(by: \.number, .descending)
        ).first.map { ($0.number - graphNumbers) / SoakDraw.graphSize + 1 } ?? 0
      }
    while next <= order.tasks || graph < order.graphs {
      let (first, last) = (next, min(order.tasks, next + Self.batch - 1))
      let due = order.tasks == 0 ? order.graphs : order.graphs * last / order.tasks
      let graphs = graph..<max(graph, last >= order.tasks ? order.graphs : due)
      try await store.write { tx in
        if first <= last {
          for number in first...last {
            try tx.insert(QueuedRow(number: number))
            try queue.enqueue(SoakTask(number: number), draw.options(number), in: tx)
          }
        }
        for place in graphs {
          try queue.submit(draw.graph(place), in: tx)
          for node in 0..<SoakDraw.graphSize {
            try tx.insert(
              QueuedRow(number: graphNumbers + place * SoakDraw.graphSize + node))
          }
        }
      }
      // Said once it is committed: from here on the runner counts on it.
      tell("queued \(last) \(graphs.upperBound)")
      next = last + 1
      graph = graphs.upperBound
      while try await queue.figures().map(\.depth).reduce(0, +) > Self.most {
        try await pause(20)
      }
    }
    tell("all queued")
  }
}

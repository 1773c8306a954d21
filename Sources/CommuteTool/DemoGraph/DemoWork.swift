import CommuteStore
import CommuteTasks
import Foundation

/// Fetches something: the first node of the graph that is shown.
struct DemoFetch: QueueTask {
  static let kind = "demo.fetch"
  typealias Output = [Int]
  var count: Int
}

/// Works on what was fetched.
struct DemoProcess: QueueTask {
  static let kind = "demo.process"
  typealias Output = Int
  var numbers: Ref<[Int]>
}

/// Looks whether what was fetched is right.
struct DemoValidate: QueueTask {
  static let kind = "demo.validate"
  typealias Output = Bool
  var numbers: Ref<[Int]>
}

/// Sends what came of it; after both.
struct DemoUpload: QueueTask {
  static let kind = "demo.upload"
  var sum: Ref<Int>
  var isValid: Ref<Bool>
}

/// What the nodes do, and what they write down of it.
struct DemoWork: Sendable {
  /// The environment variable that makes `process` wait to be killed.
  static let holding = "COMMUTE_DEMO_HOLD"
  /// What the graph is called.
  static let graphName = "demo"

  /// The folder of the device.
  let folder: String

  init(_ folder: String) {
    self.folder = folder
  }

  /// Where every handler writes a line as it begins and as it ends: the list of the demonstration,
  /// which the queue knows nothing of.
  var journal: String { "\(folder)/demo-graph.log" }

  /// The graph: fetch, then process and validate side by side, then upload.
  static var graph: Graph {
    var graph = Graph(graphName)
    let fetch = graph.add("fetch", DemoFetch(count: 120))
    let process = graph.add("process", DemoProcess(numbers: fetch.output))
    let validate = graph.add("validate", DemoValidate(numbers: fetch.output))
    graph.add("upload", DemoUpload(sum: process.output, isValid: validate.output))
    return graph
  }

  /// Adds the handlers.
  func add(to handlers: inout Handlers) {
    handlers.on(DemoFetch.self) { work, context in
      try begin("fetch", context)
      return .done(Array(1...max(1, work.count)), effects: effects("fetch", context))
    }
    handlers.on(DemoProcess.self) { work, context in
      try begin("process", context)
      if ProcessInfo.processInfo.environment[Self.holding] != nil {
        try await Task.sleep(for: .seconds(3_600))
      }
      let numbers = try await context.value(work.numbers)
      return .done(numbers.reduce(0, +), effects: effects("process", context))
    }
    handlers.on(DemoValidate.self) { work, context in
      try begin("validate", context)
      let numbers = try await context.value(work.numbers)
      return .done(numbers == Array(1...numbers.count), effects: effects("validate", context))
    }
    handlers.on(DemoUpload.self) { work, context in
      try begin("upload", context)
      let sum = try await context.value(work.sum)
      guard try await context.value(work.isValid) else {
        return .fail(because: "what was fetched is not valid")
      }
      let ending = effects("upload", context)
      return .done(
        Nothing(),
        effects: { tx in
          try ending(tx)
          tx.setNote("demo-graph.uploaded", String(sum))
        })
    }
  }

  private func begin(_ node: String, _ context: TaskContext) throws {
    try append("\(node) attempt \(context.attempt)\n")
  }

  /// Writes a row as a node ends: with the end of the task, or not at all.
  private func effects(
    _ node: String, _ context: TaskContext
  ) -> @Sendable (borrowing WriteTransaction) throws -> Void {
    let attempt = Int64(context.attempt)
    return { tx in
      try tx.execute("CREATE TABLE IF NOT EXISTS demo_end(node TEXT, attempt INTEGER)")
      try tx.execute("INSERT INTO demo_end VALUES (\(node), \(attempt))")
    }
  }

  private func append(_ line: String) throws {
    let descriptor = open(journal, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { close(descriptor) }
    let bytes = Array(line.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
  }
}

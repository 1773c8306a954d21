public import CommuteCore
public import CommuteStore

/// What a queue refuses, and why.
@nonexhaustive
public enum QueueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A payload of another version cannot be read; its task waits for a release that can.
  case noUpgrade(kind: String, from: Int, to: Int)
  /// A payload is larger than ``TaskQueue/payloadLimit``: keep the data in a file and queue its
  /// name.
  case payloadTooLarge(bytes: Int, limit: Int)
  /// A payload or result cannot be made into JSON or read from it.
  case notCodable(kind: String, reason: String)
  /// A kind was given two handlers.
  case handledTwice(kind: String)
  /// A graph is none.
  case graph(GraphPlan.Fault)
  /// There is no such task, or not any more.
  case unknownTask(TaskID)
  /// There is no such token, or what it stood for is over.
  case unknownToken(String)
  /// This system knows no place of that name.
  case unknownTimeZone(String)
  /// The attempt was given to another process: nothing it says counts.
  case leaseLost
  /// The queue's tables were written by a newer version.
  case newerSchema(found: Int, known: Int)
  /// The queue was closed.
  case closed
  /// The store refused.
  case store(StoreError)

  /// What happened and what to do, in one line.
  public var description: String {
    switch self {
    case .noUpgrade(let kind, let from, let to):
      "the task \(kind) has version \(from) and this app knows \(to): update the app"
    case .payloadTooLarge(let bytes, let limit):
      "the payload takes \(bytes) bytes of \(limit): keep the data in a file and queue its name"
    case .notCodable(let kind, let reason): "the task \(kind) is not codable: \(reason)"
    case .handledTwice(let kind): "the kind \(kind) has two handlers: name one of them differently"
    case .graph(.cycle(let path)):
      "these nodes wait for each other: \((path + path.prefix(1)).joined(separator: " → "))"
    case .graph(.unknownNode(let name, let node)): "\(node) comes after \(name), which is not there"
    case .graph(.duplicateNode(let name)): "two nodes are called \(name)"
    case .graph(.tooManyNodes(let count)):
      "a graph has at most \(GraphPlan.nodeLimit) nodes, not \(count)"
    case .graph(.empty): "a graph has at least one node"
    case .unknownTask(let id): "there is no task \(id)"
    case .unknownToken(let token): "nothing waits for the token \(token)"
    case .unknownTimeZone(let name):
      "there is no time zone \(name): name a place, as Europe/Zurich"
    case .leaseLost: "another process has taken the task over"
    case .newerSchema(let found, let known):
      "the queue has schema \(found) and this app knows \(known): update the app"
    case .closed: "the queue is closed"
    case .store(let error): error.message
    }
  }
}

extension QueueError {
  /// Runs a piece of work with the store's errors as the queue's.
  static func storing<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(QueueError) -> Result {
    do { return try body() } catch { throw .store(error) }
  }

  /// Any error as one of the queue's.
  static func of(_ error: any Error) -> QueueError {
    switch error {
    case let error as QueueError: error
    case let error as StoreError: .store(error)
    default: .store(.query(reason: "\(error)"))
    }
  }
}

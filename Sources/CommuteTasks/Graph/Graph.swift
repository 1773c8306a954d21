public import CommuteCore
import Foundation
import Synchronization

/// A value that a task takes: one that is known, or the output of a task that comes before it.
public struct Ref<Value: Codable & Sendable>: Codable, Sendable {
  /// What it stands for.
  public enum Kind: Sendable {
    /// The value itself.
    case value(Value)
    /// The output of a node of the same graph.
    case output(node: String)
  }

  /// What it stands for.
  public let kind: Kind

  /// Makes a reference.
  public init(_ kind: Kind) {
    self.kind = kind
  }

  /// A value that is known.
  public static func just(_ value: Value) -> Ref { Ref(.value(value)) }

  private enum Member: String, CodingKey { case value, node }

  /// Writes the value, or the node's name; tells a graph that is being made of the node.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Member.self)
    switch kind {
    case .value(let value): try container.encode(value, forKey: .value)
    case .output(let node):
      let refs = RefCollector.key.flatMap { encoder.userInfo[$0] }
      (refs as? RefCollector)?.add(node)
      try container.encode(node, forKey: .node)
    }
  }

  /// Reads what was written.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    if let node = try container.decodeIfPresent(String.self, forKey: .node) {
      kind = .output(node: node)
    } else {
      kind = .value(try container.decode(Value.self, forKey: .value))
    }
  }
}

/// Takes note of the nodes that a payload refers to.
final class RefCollector: Sendable {
  static let key = CodingUserInfoKey(rawValue: "commute.refs")
  private let names = Mutex<[String]>([])

  func add(_ name: String) { names.withLock { $0.append(name) } }

  var nodes: [String] { names.withLock { $0 } }
}

/// A task of a graph, by its name.
public struct Node<Output: Codable & Sendable>: Sendable {
  /// The name.
  public let name: String
  /// What it will bring, for tasks that come after it.
  public var output: Ref<Output> { Ref(.output(node: name)) }
}

/// Tasks of which some come after others; a chain is a graph with one path.
///
/// ```swift
/// var graph = Graph("import")
/// let fetch = graph.add("fetch", Fetch(since: 120))
/// graph.add("process", Process(batch: fetch.output))
/// graph.add("validate", Validate(), after: ["fetch"])
/// graph.add("upload", Upload(), after: ["process", "validate"])
/// try queue.submit(graph, in: tx)
/// ```
public struct Graph: Sendable {
  /// What is queued for one node.
  struct Member: Sendable {
    var name: String
    var after: [String]
    var join: JoinRule
    var draft: Result<TaskDraft, QueueError>
  }

  /// What it is called.
  public let name: String
  /// What becomes of it when a node fails.
  public var onFailure = GraphFailureRule.skipDescendants
  private(set) var members: [Member] = []

  /// Begins without nodes.
  public init(_ name: String) {
    self.name = name
  }

  /// Adds a node, which comes after those named and after those whose output its payload takes.
  ///
  /// What is wrong is told by ``validated()`` and when the graph is submitted.
  @discardableResult
  public mutating func add<Work: QueueTask>(
    _ name: String, _ work: Work, after: [String] = [], join: JoinRule = .allSucceeded,
    _ options: EnqueueOptions = EnqueueOptions()
  ) -> Node<Work.Output> {
    let refs = RefCollector()
    let draft: Result<TaskDraft, QueueError>
    do throws(QueueError) {
      draft = .success(try TaskDraft(work, options, collecting: refs))
    } catch {
      draft = .failure(error)
    }
    members.append(Member(name: name, after: after + refs.nodes, join: join, draft: draft))
    return Node(name: name)
  }

  /// The graph, if it is one.
  ///
  /// - Throws: ``QueueError/graph(_:)`` with the path of a cycle, and what is wrong with a payload.
  public func validated() throws(QueueError) -> Graph {
    _ = try plan()
    return self
  }

  package func plan() throws(QueueError) -> GraphPlan {
    for member in members { _ = try member.draft.get() }
    do {
      return try GraphPlan(members.map { (name: $0.name, after: $0.after) })
    } catch {
      throw .graph(error)
    }
  }
}

import CommuteCore
import CommuteTasks

/// `commute queue graph`.
struct QueueGraphCommand: QueueCommand {
  static let spec = CommandSpec.queue(
    "graph", "shows all graphs, or one with its nodes; as a picture with --svg",
    [
      ArgumentSpec(
        "GRAPH", isOptional: true, "its number, its name (the newest of it) or its whole id")
    ],
    options: [
      OptionSpec("svg", "FILE", "draws the graph into a file, `-` for the output"),
      OptionSpec("all", "lists those that are over, too"),
    ])

  let device: DeviceOptions
  private let reference: QueueReference?
  private let file: String?
  private let includesOver: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    reference = arguments.word("GRAPH").map(QueueReference.init)
    file = try arguments.filled("svg")
    includesOver = arguments.has("all")
    if file != nil, reference == nil {
      throw .other("name the graph to draw, as `commute queue graph` shows it")
    }
  }

  func run(on queue: TaskQueue, of device: OpenDevice) async throws(Failure) -> Report {
    guard let reference else { return try await list(queue) }
    let named = try await reference.graph(in: queue)
    let found = try await Self.asking { () throws(QueueError) in try await queue.graph(named.id) }
    guard let found else {
      throw Failure(
        .refused, "graph \(named.number) is gone by now; `commute queue graph` shows all")
    }
    let drawing = GraphDrawing(graph: found.graph, nodes: found.nodes)
    var report = Report(drawing.lines, drawing.json)
    if let file {
      let svg = Array(drawing.svg.utf8)
      if file == "-" {
        report.bytes = svg
        report.lines = []
      } else {
        try PersonsFile(path: file).write(svg)
        report.lines.append("drawn into \(file)")
      }
    }
    return report
  }

  private func list(_ queue: TaskQueue) async throws(Failure) -> Report {
    let graphs = try await Self.asking { () throws(QueueError) in
      try await queue.graphs(includingOver: includesOver)
    }
    var table = TextTable(["graph", "name", "state", "over", "queued"], widthLimit: 60)
    table.rows = graphs.map { graph in
      [
        String(graph.number), graph.name, "\(graph.state)",
        "\(graph.total - graph.open) of \(graph.total)", Moment.text(graph.created),
      ]
    }
    let none =
      includesOver
      ? "there are no graphs" : "no graph is under way; --all shows those that are over"
    return Report(
      graphs.isEmpty ? [none] : table.withHeads,
      ["graphs": .list(graphs.map { .object($0.members) })])
  }
}

extension GraphSummary {
  /// The graph for programs.
  var members: [JSON.Member] {
    [
      JSON.Member(name: "number", value: .integer(number)),
      JSON.Member(name: "id", value: .text(id.text)),
      JSON.Member(name: "name", value: .text(name)),
      JSON.Member(name: "state", value: .text("\(state)")),
      JSON.Member(name: "nodes", value: JSON(total)),
      JSON.Member(name: "open", value: JSON(open)),
      JSON.Member(name: "bad", value: JSON(bad)),
      JSON.Member(name: "created", value: .text(Moment.text(created))),
    ]
  }
}

import CommuteCore
import CommuteTasks

/// A graph of tasks as lines and as a picture.
struct GraphDrawing: Sendable {
  let graph: GraphSummary
  /// The nodes, each after all it comes after.
  let nodes: [GraphNode]

  /// The graph for programs.
  var json: JSON {
    .object(
      graph.members + [
        JSON.Member(
          name: "tasks",
          value: .list(
            nodes.map { node in
              .object(
                node.task.members + [
                  JSON.Member(name: "after", value: JSON(node.after)),
                  JSON.Member(name: "join", value: .text("\(node.join)")),
                ])
            }))
      ])
  }

  /// The graph for people.
  var lines: [String] {
    var table = TextTable(["", "", "", "", ""], widthLimit: 60)
    table.rows = nodes.map { node in
      let after = node.after.isEmpty ? "" : "after " + node.after.joined(separator: ", ")
      return [
        "  \(node.task.state.mark) \(node.name)", node.task.state.word,
        node.task.attempt == 0 ? "" : Plural.text(node.task.attempt, "attempt"), after,
        "task \(node.task.number)",
      ]
    }
    let head =
      "\(graph.name): \(graph.state), \(graph.total - graph.open) of"
      + " \(Plural.text(graph.total, "node")) over"
    return [head] + table.plain
  }

  // MARK: - Picture

  private static let box = (width: 180, height: 52)
  private static let gap = (across: 70, down: 22)
  private static let edge = 20

  /// The graph as a picture: from left to right what comes after what.
  var svg: String {
    let places = places
    let columns = (places.map(\.column).max() ?? 0) + 1
    let rows = (places.map(\.row).max() ?? 0) + 1
    let width = columns * (Self.box.width + Self.gap.across) - Self.gap.across + 2 * Self.edge
    let height = rows * (Self.box.height + Self.gap.down) - Self.gap.down + 2 * Self.edge
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="sans-serif" role="img">
      <title>\(Self.escaped(lines[0]))</title>
      <defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" \
      markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#66707a"/></marker></defs>
      <rect width="\(width)" height="\(height)" fill="#ffffff"/>
      """
    ]
    let index = Dictionary(
      nodes.enumerated().map { (Key($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    for (place, node) in nodes.enumerated() {
      for parent in node.after.compactMap({ index[Key($0)] }) {
        parts.append(Self.line(from: places[parent], to: places[place]))
      }
    }
    for (place, node) in nodes.enumerated() { parts.append(Self.box(of: node, at: places[place])) }
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  private struct Place {
    var column: Int
    var row: Int
    var left: Int { GraphDrawing.edge + column * (box.width + gap.across) }
    var top: Int { GraphDrawing.edge + row * (box.height + gap.down) }
  }

  /// Each node one column after the last that it comes after, and under the others of its column.
  private var places: [Place] {
    var columns: [Key: Int] = [:]
    var filled: [Int: Int] = [:]
    var places: [Place] = []
    for node in nodes {
      let column = node.after.compactMap { columns[Key($0)] }.max().map { $0 + 1 } ?? 0
      columns[Key(node.name)] = column
      places.append(Place(column: column, row: filled[column, default: 0]))
      filled[column, default: 0] += 1
    }
    return places
  }

  private static func line(from: Place, to: Place) -> String {
    let start = (x: from.left + box.width, y: from.top + box.height / 2)
    let end = (x: to.left, y: to.top + box.height / 2)
    let middle = (start.x + end.x) / 2
    return """
      <path d="M\(start.x) \(start.y)C\(middle) \(start.y) \(middle) \(end.y) \(end.x) \(end.y)" \
      fill="none" stroke="#66707a" stroke-width="1.5" marker-end="url(#tip)"/>
      """
  }

  private static func box(of node: GraphNode, at place: Place) -> String {
    let colors = colors(of: node.task.state)
    let word =
      node.task.attempt > 1
      ? "\(node.task.state.word), attempt \(node.task.attempt)" : node.task.state.word
    return """
      <rect x="\(place.left)" y="\(place.top)" width="\(box.width)" height="\(box.height)" rx="8" \
      fill="\(colors.fill)" stroke="\(colors.line)" stroke-width="1.5"/>
      <text x="\(place.left + 12)" y="\(place.top + 22)" font-size="14" fill="#1b1f23">\
      \(escaped(TerminalText.shortened(node.name, to: 20)))</text>
      <text x="\(place.left + 12)" y="\(place.top + 40)" font-size="11" fill="#49525b">\
      \(escaped("\(node.task.state.mark) \(word)"))</text>
      """
  }

  private static func colors(of state: TaskState) -> (fill: String, line: String) {
    switch state {
    case .succeeded: ("#e3f4e6", "#2c7a3f")
    case .failed: ("#fbe4e4", "#b3261e")
    case .running, .external: ("#e1eefb", "#1f62a8")
    case .parked: ("#fff3d6", "#8a6100")
    case .ready, .scheduled: ("#f4f6f8", "#49525b")
    case .blocked, .cancelled, .skipped, .expired: ("#ffffff", "#98a1ab")
    }
  }

  /// Text as it stands in XML; characters that XML has not are left out.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in TerminalText.safe(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case _ where scalar.value < 32 || scalar.value & 0xFFFE == 0xFFFE: break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

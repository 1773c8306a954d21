/// Rows and columns, drawn with lines.
///
/// ```
/// ┌──────────┬──────┐
/// │ title    │ read │
/// ├──────────┼──────┤
/// │ Emma     │ ✓    │
/// └──────────┴──────┘
/// ```
struct TextTable: Sendable {
  /// The heads of the columns.
  var heads: [String]
  /// The rows; a missing cell is empty.
  var rows: [[String]] = []
  /// The widest that a column may get; longer cells are cut.
  var widthLimit = 40

  init(_ heads: [String], widthLimit: Int = 40) {
    self.heads = heads
    self.widthLimit = widthLimit
  }

  /// The table with lines around and between.
  var boxed: [String] {
    let widths = widths
    var lines = [Self.rule("┌", "┬", "┐", widths), row(heads, widths)]
    lines.append(Self.rule("├", "┼", "┤", widths))
    lines += rows.map { row($0, widths) }
    lines.append(Self.rule("└", "┴", "┘", widths))
    return lines
  }

  /// The heads, a line, and the rows.
  var withHeads: [String] {
    let widths = widths
    let line = widths.map { String(repeating: "─", count: max($0, 1)) }.joined(separator: "──")
    return [Self.aligned(heads, widths), line] + aligned(widths)
  }

  /// The rows only, aligned, without lines and without heads.
  var plain: [String] { aligned(widths) }

  private func aligned(_ widths: [Int]) -> [String] {
    rows.map { cells in Self.aligned(widths.indices.map { cell($0, of: cells) }, widths) }
  }

  private static func aligned(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, width) in widths.enumerated() {
      line += index == widths.count - 1 ? cells[index] : padded(cells[index], to: width) + "  "
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  private var widths: [Int] {
    heads.indices.map { index in
      let cells = [heads[index]] + rows.map { cell(index, of: $0) }
      return cells.map(TerminalText.width).max() ?? 0
    }
  }

  private func row(_ cells: [String], _ widths: [Int]) -> String {
    let padded = widths.indices.map { Self.padded(cell($0, of: cells), to: widths[$0]) }
    return "│ " + padded.joined(separator: " │ ") + " │"
  }

  private func cell(_ index: Int, of cells: [String]) -> String {
    guard index < cells.count else { return "" }
    let line = cells[index].split(whereSeparator: \.isNewline).joined(separator: " ⏎ ")
    return TerminalText.shortened(TerminalText.safe(line), to: widthLimit)
  }

  private static func padded(_ cell: String, to width: Int) -> String {
    cell + String(repeating: " ", count: max(0, width - TerminalText.width(cell)))
  }

  private static func rule(
    _ left: String, _ middle: String, _ right: String, _ widths: [Int]
  ) -> String {
    let parts = widths.map { String(repeating: "─", count: $0 + 2) }
    return left + parts.joined(separator: middle) + right
  }
}

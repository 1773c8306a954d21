/// The table of all stories: what happens, and what each design made of it.
struct StoryTable {
  /// A line of a cell, and whether it tells of a loss.
  private struct Line {
    var text: String
    var isLoss = false
  }

  private static let heads = ["story", "naive design", "ours"]
  private static let widthLimit = 44

  private var rows: [[[Line]]] = []

  init(_ outcomes: [Outcome]) {
    rows = outcomes.map { outcome in
      let story =
        Self.wrapped("\(outcome.story.number) \(outcome.story.name)", indent: "  ")
        + Self.wrapped("  " + outcome.story.promise, indent: "  ")
      return [story.map { Line(text: $0) }, Self.cell(outcome.naive), Self.cell(outcome.ours)]
    }
  }

  private static func cell(_ telling: Telling) -> [Line] {
    let width = Place.all.map(\.words.count).max() ?? 0
    var lines: [Line] = []
    for place in Place.all {
      let name = place.words + String(repeating: " ", count: width - place.words.count)
      let indent = String(repeating: " ", count: width + 2)
      lines += wrapped("\(name)  \(telling.line(place))", indent: indent).map { Line(text: $0) }
    }
    if telling.losses.isEmpty { return lines + [Line(text: "✓ nothing lost")] }
    for loss in telling.lossLines {
      lines += wrapped("✗ \(loss)", indent: "  ").map { Line(text: $0, isLoss: true) }
    }
    return lines
  }

  /// The lines of the table; losses are red for a terminal.
  func lines(inColour: Bool) -> [String] {
    let widths = Self.heads.indices.map { column in
      let cells = rows.flatMap { $0[column] }.map(\.text.count)
      return max(Self.heads[column].count, cells.max() ?? 0)
    }
    var lines = [Self.rule("┌", "┬", "┐", widths)]
    lines.append(Self.line(Self.heads.map { Line(text: $0) }, widths, inColour: false))
    for row in rows {
      lines.append(Self.rule("├", "┼", "┤", widths))
      for index in 0..<(row.map(\.count).max() ?? 0) {
        let cells = row.map { index < $0.count ? $0[index] : Line(text: "") }
        lines.append(Self.line(cells, widths, inColour: inColour))
      }
    }
    lines.append(Self.rule("└", "┴", "┘", widths))
    return lines
  }

  private static func line(_ cells: [Line], _ widths: [Int], inColour: Bool) -> String {
    let padded = zip(cells, widths).map { cell, width in
      let text = cell.text + String(repeating: " ", count: width - cell.text.count)
      return cell.isLoss && inColour ? "\u{1B}[31m\(text)\u{1B}[0m" : text
    }
    return "│ " + padded.joined(separator: " │ ") + " │"
  }

  private static func rule(
    _ left: String, _ middle: String, _ right: String, _ widths: [Int]
  ) -> String {
    left + widths.map { String(repeating: "─", count: $0 + 2) }.joined(separator: middle) + right
  }

  /// A text in lines of at most the limit, broken between words.
  static func wrapped(_ text: String, indent: String, limit: Int = widthLimit) -> [String] {
    var lines: [String] = []
    var line = String(text.prefix { $0 == " " })
    var isEmpty = true
    for word in text.split(separator: " ", omittingEmptySubsequences: false).drop(while: \.isEmpty)
    {
      if !isEmpty, line.count + 1 + word.count > limit {
        lines.append(line)
        line = indent
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }
}

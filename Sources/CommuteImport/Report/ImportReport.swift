/// What became of a file: how many rows were taken, and line by line what was not and why.
public struct ImportReport: Sendable {
  /// One thing that was not taken as it stood.
  public struct Note: Sendable {
    /// What the file lost by it.
    public enum Loss: Hashable, Sendable {
      /// The whole row was left out.
      case row
      /// The row was left out because an earlier one is the same book.
      case repetition
      /// The row was taken without what one cell held.
      case cell
      /// Nothing, but it was read in a way that is worth a look.
      case nothing
    }

    /// What the file lost by it.
    public let loss: Loss
    /// The line of the file, from 1.
    public let line: Int
    /// The name of the column, if one cell is meant.
    public let column: String?
    /// What happened and what was done about it, for people; safe to print on a terminal.
    public let reason: String

    /// The note as one line of text.
    public var text: String {
      guard let column else { return "line \(line): \(reason)" }
      return "line \(line), \(column): \(reason)"
    }
  }

  /// How many rows below the header had anything in them.
  public private(set) var rows = 0
  /// How many rows gave a book.
  public private(set) var taken = 0
  /// How many rows were left out because something is wrong with them.
  public private(set) var leftOut = 0
  /// How many rows were left out because an earlier one is the same book.
  public private(set) var repeated = 0
  /// What was not taken, in the order of the file.
  public private(set) var notes: [Note] = []
  /// The columns of the file for which the list has no place, by name.
  public internal(set) var ignoredColumns: [String] = []

  init() {}

  mutating func countTaken() {
    rows += 1
    taken += 1
  }

  /// Keeps a note, and counts the row if the whole row is lost.
  mutating func add(_ note: Note) {
    notes.append(note)
    switch note.loss {
    case .row:
      rows += 1
      leftOut += 1
    case .repetition:
      rows += 1
      repeated += 1
    case .cell, .nothing: break
    }
  }
}

extension ImportReport {
  /// The report as lines of text for people: the counts, the columns, then a line a note.
  public var lines: [String] {
    var result = [summary]
    if !ignoredColumns.isEmpty { result.append("columns not taken: \(listOfColumns)") }
    for note in notes { result.append(note.text) }
    return result
  }

  /// The counts as one line of text.
  public var summary: String {
    var text = "\(taken) of \(rows) \(rows == 1 ? "row" : "rows") taken"
    if leftOut > 0 { text += " · \(leftOut) left out" }
    if repeated > 0 { text += " · \(repeated) repeated" }
    return text
  }

  /// A hostile header may name a thousand columns: no more than thirty are told.
  private var listOfColumns: String {
    let shown = ignoredColumns.prefix(30).joined(separator: ", ")
    let rest = ignoredColumns.count - 30
    return rest > 0 ? "\(shown) and \(rest) more" : shown
  }
}

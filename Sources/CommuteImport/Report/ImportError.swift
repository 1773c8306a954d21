/// Why a whole file could not be read as a list of books; nothing was taken from it.
@nonexhaustive
public enum ImportError: Error, Sendable {
  /// There is no line with anything in it.
  case empty
  /// The file is of another kind altogether, which is named.
  case otherFormat(String)
  /// The first line cannot be read as CSV.
  case unreadableHeader(CSVError)
  /// The first line names columns, but none that says what the books are called.
  case noTitle(columns: [String])
}

extension ImportError: CustomStringConvertible {
  /// What happened and what to do, in one line for people; safe to print on a terminal.
  public var description: String {
    switch self {
    case .empty:
      "the file is empty; export the library from Goodreads again"
    case .otherFormat(let name):
      "the file is \(name); save it as CSV with commas, in UTF-8, and import that"
    case .unreadableHeader(let error):
      "line \(error.line), which should name the columns, cannot be read: \(error.reason)"
    case .noTitle(let columns):
      "no column is called Title; line 1 names \(columns.prefix(30).joined(separator: ", "));"
        + " import the file as Goodreads exports it"
    }
  }
}

/// The first line of a file: which column stands where.
struct GoodreadsHeader: Sendable {
  /// How many columns the line names.
  let count: Int

  private let names: [String]
  private let places: [Int?]

  /// Reads the names of the columns.
  ///
  /// The case of ASCII letters and blanks around a name do not matter; of two columns with one
  /// name the first counts.
  init(_ record: CSVRecord) throws(ImportError) {
    let cells = record.cells.map { $0.bytes.trimmed() }
    count = cells.count
    names = cells.map { Quotation.plain($0) }
    places = GoodreadsColumn.allCases.map { column in
      cells.firstIndex { $0.equalsIgnoringCase(column.name) }
    }
    guard places[GoodreadsColumn.title.rawValue] == nil else { return }
    if count == 1, cells[0].contains(UInt8(ascii: ";")) {
      throw .otherFormat("a table with semicolons")
    }
    if count == 1, cells[0].contains(0x09) { throw .otherFormat("a table with tabs") }
    throw .noTitle(columns: names)
  }

  /// The place of a column; nil if the file does not have it.
  func place(of column: GoodreadsColumn) -> Int? { places[column.rawValue] }

  /// The name of the column at a place, for people.
  func name(at place: Int) -> String {
    place < names.count && !names[place].isEmpty ? names[place] : "column \(place + 1)"
  }

  /// The names of all columns of which the list has no use.
  var ignoredNames: [String] {
    names.indices.filter { place in !places.contains { $0 == place } }.map { name(at: $0) }
  }
}

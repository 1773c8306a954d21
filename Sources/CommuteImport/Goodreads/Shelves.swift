/// The names of the shelves on which a book stands, as two cells of its row tell them.
struct Shelves: Sendable {
  /// The most names taken.
  static let limit = 100
  /// The most bytes of one name.
  static let nameLimit = 1_000

  /// The names in the order of the file, each once, without `read`.
  private(set) var names: [ArraySlice<UInt8>] = []
  /// Whether `read` is among them; it tells a state and is no name.
  private(set) var hasRead = false
  /// Whether there were more names than ``limit``.
  private(set) var hasMore = false
  /// Whether a name had more bytes than ``nameLimit``.
  private(set) var hasLongName = false

  /// Reads the names between commas, first of the list, then of the exclusive shelf.
  ///
  /// The latter is one name, but no name can hold a comma: it could not be written into a list.
  init(list: ArraySlice<UInt8>, exclusive: ArraySlice<UInt8>) {
    for cell in [list, exclusive] {
      for part in cell.split(separator: .comma) { add(part.trimmed()) }
    }
  }

  /// The names as text.
  var tags: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

  private mutating func add(_ name: ArraySlice<UInt8>) {
    if name.equalsIgnoringCase("read") {
      hasRead = true
      return
    }
    // A hostile cell may hold a million names: behind the limit they are not even compared.
    if hasMore || name.isEmpty { return }
    if name.count > Self.nameLimit {
      hasLongName = true
    } else if !names.contains(where: { $0.elementsEqual(name) }) {
      if names.count < Self.limit { names.append(name) } else { hasMore = true }
    }
  }
}

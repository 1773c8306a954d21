public import CommuteCore

/// How a record type is stored and synced.
public final class Table<Model: Record>: Sendable {
  /// The table's name in SQL and on the wire.
  public let name: String
  /// The feed that new records belong to; nil where each insert names one.
  public let feed: String?
  /// Whether the table is this device's alone: its records are neither stamped nor queued.
  public let isLocal: Bool
  /// The columns as declared.
  public let columns: [Column<Model>]
  /// A record with default values; reading starts from a copy of it.
  @usableFromInline let blank: Model
  @usableFromInline let layout: RecordLayout
  let indexes: [DeclaredIndex]
  let search: DeclaredSearch?
  /// What is wrong with the declaration.
  let problem: String?

  /// Declares a table.
  ///
  /// New records belong to `feed`; `rule` says what becomes of a record that one device deletes
  /// while another edits it; the values of `blank` are the columns' defaults. What is wrong with a
  /// declaration is said when a store is opened with it.
  public convenience init(
    _ name: String, feed: String, rule: RecordRule = .deleteWins, blank: @autoclosure () -> Model,
    @TableBuilder<Model> _ elements: () -> [TableElement<Model>]
  ) {
    self.init(name, defaultFeed: feed, rule: rule, blank: blank(), elements())
  }

  /// Declares a table whose records are inserted into a feed that each insert names.
  public convenience init(
    _ name: String, rule: RecordRule = .deleteWins, blank: @autoclosure () -> Model,
    @TableBuilder<Model> _ elements: () -> [TableElement<Model>]
  ) {
    self.init(name, defaultFeed: nil, rule: rule, blank: blank(), elements())
  }

  /// Declares a table of this device alone: its records are neither stamped nor queued, and no
  /// server hears of them.
  public convenience init(
    local name: String, blank: @autoclosure () -> Model,
    @TableBuilder<Model> _ elements: () -> [TableElement<Model>]
  ) {
    self.init(name, defaultFeed: nil, isLocal: true, blank: blank(), elements())
  }

  private init(
    _ name: String, defaultFeed: String?, isLocal: Bool = false, rule: RecordRule = .deleteWins,
    blank: Model, _ elements: [TableElement<Model>]
  ) {
    let columns = elements.compactMap { element -> Column<Model>? in
      if case .column(let column) = element.content { column } else { nil }
    }
    self.name = name
    feed = defaultFeed
    self.isLocal = isLocal
    self.columns = columns
    self.blank = blank
    let layout = withUnsafePointer(to: blank) { blank in
      RecordLayout(
        schema: TableSchema(
          Key(name), fields: columns.map(\.schema), rule: rule,
          unique: elements.compactMap { $0.key(among: columns) }),
        fields: columns.map(\.schema), access: columns.map(\.access),
        blank: UnsafeRawPointer(blank))
    }
    self.layout = layout
    var resolved = ResolvedElements(table: name, layout: layout, isLocal: isLocal)
    for element in elements { resolved.take(element, among: columns) }
    indexes = resolved.indexes
    search = resolved.search
    problem = resolved.problem
  }

  /// The names, kinds and rules that device and server agree on.
  public var schema: TableSchema { layout.schema }

  /// The id that a record of its values has in a feed, where the table's ids come from a key; nil
  /// where they do not, or a value of the key is null.
  ///
  /// The feed is the table's unless told otherwise. With it a record can be referred to before it
  /// is there.
  public func derivedID(of record: Model, feed: String? = nil) -> RecordID? {
    guard let feed = feed ?? self.feed else { return nil }
    return withUnsafePointer(to: record) { layout.derivedID(of: $0, feed: Key(feed)) }
  }

  /// The place of the column that a key path leads to; nil for a property that is no column.
  func column(at path: PartialKeyPath<Model>) -> Int? {
    columns.place(of: path)
  }

  /// Whether a key path leads to the record's id.
  ///
  /// Paths that were written in generic and in concrete code differ, so it is found out by trying.
  func isID(_ path: PartialKeyPath<Model>) -> Bool {
    var probe = blank
    for id in [RecordID(high: 0x5EED, low: 1), RecordID(high: 2, low: 0x5EED)] {
      probe.id = id
      guard let found = probe[keyPath: path] as? RecordID, found == id else { return false }
    }
    return true
  }
}

extension Array {
  /// The place of the column that a key path leads to; nil for a property that is no column.
  fileprivate func place<Model: Record>(of path: PartialKeyPath<Model>) -> Int?
  where Element == Column<Model> {
    // A struct and its first property lie at one place, so the path decides between them.
    if let exact = firstIndex(where: { $0.path == path }) { return exact }
    guard let offset = MemoryLayout<Model>.offset(of: path) else { return nil }
    return firstIndex { $0.access.offset == offset }
  }
}

extension TableElement {
  /// The key that the server keeps, too; nil for all other lines.
  fileprivate func key(among columns: [Column<Model>]) -> UniqueKey? {
    guard case .index(let index) = content, let rule = index.rule else { return nil }
    let places = index.paths.compactMap { columns.place(of: $0) }
    return UniqueKey(fields: places.map { columns[$0].schema.name }, rule: rule)
  }
}

/// What a declaration says beside its columns, with the columns found.
private struct ResolvedElements {
  let table: String
  let layout: RecordLayout
  let isLocal: Bool
  var indexes: [DeclaredIndex] = []
  var search: DeclaredSearch?
  var problem: String?

  mutating func take<Model>(_ element: TableElement<Model>, among columns: [Column<Model>]) {
    switch element.content {
    case .column: return
    case .index(let index):
      let places = places(of: index.paths, among: columns, index.isUnique ? "Unique" : "Index")
      if isLocal, index.rule != nil {
        refuse("\(table) is this device's alone, so no server keeps its keys; leave out `across`")
      }
      let declared = DeclaredIndex(columns: places, isUnique: index.isUnique, rule: index.rule)
      if !indexes.contains(declared) { indexes.append(declared) }
    case .search(let wanted):
      let places = places(of: wanted.paths, among: columns, "Search")
      for place in places where ![.text, .list].contains(layout.fields[place].kind) {
        refuse("\(table).\(layout.fields[place].name.text) has no words to search; leave it out")
      }
      if search != nil { refuse("\(table) declares two searches; declare one with all columns") }
      search = DeclaredSearch(columns: places, tokenizer: wanted.words.rawValue)
    }
  }

  private mutating func places<Model>(
    of paths: [any PartialKeyPath<Model> & Sendable], among columns: [Column<Model>], _ what: String
  ) -> [Int] {
    if paths.isEmpty { refuse("\(table) declares \(what)() of no column; name one") }
    return paths.compactMap { path in
      if let place = columns.place(of: path) { return place }
      refuse("\(path) in \(what) is no column of \(table); declare it in the table")
      return nil
    }
  }

  private mutating func refuse(_ reason: String) {
    problem = problem ?? reason
  }
}

/// A table of any record type, as a store is opened with.
public protocol TableDeclaration: Sendable {
  /// What the store needs of it.
  var declared: DeclaredTable { get }
}

/// What a store needs of a table, without its record type.
public struct DeclaredTable: Sendable {
  let name: String
  let feed: String?
  let model: ObjectIdentifier
  let layout: RecordLayout
  var isLocal = false
  var indexes: [DeclaredIndex] = []
  var search: DeclaredSearch?
  var problem: String?
}

extension Table: TableDeclaration {
  /// What the store needs of it.
  public var declared: DeclaredTable {
    DeclaredTable(
      name: name, feed: feed, model: ObjectIdentifier(Model.self), layout: layout,
      isLocal: isLocal, indexes: indexes, search: search, problem: problem)
  }
}

public import CommuteCore

/// How a record type is stored and synced.
public final class Table<Model: Record>: Sendable {
  /// The table's name in SQL and on the wire.
  public let name: String
  /// The feed that new records belong to; nil where each insert names one.
  public let feed: String?
  /// The columns as declared.
  public let columns: [Column<Model>]
  /// A record with default values; reading starts from a copy of it.
  @usableFromInline let blank: Model
  @usableFromInline let layout: RecordLayout

  /// Declares a table.
  ///
  /// New records belong to `feed`; the values of `blank` are the columns' defaults. What is wrong
  /// with a declaration is said when a store is opened with it.
  public convenience init(
    _ name: String, feed: String, blank: @autoclosure () -> Model,
    @ColumnsBuilder<Model> _ columns: () -> [Column<Model>]
  ) {
    self.init(name, defaultFeed: feed, blank: blank(), columns())
  }

  /// Declares a table whose records are inserted into a feed that each insert names.
  public convenience init(
    _ name: String, blank: @autoclosure () -> Model,
    @ColumnsBuilder<Model> _ columns: () -> [Column<Model>]
  ) {
    self.init(name, defaultFeed: nil, blank: blank(), columns())
  }

  private init(
    _ name: String, defaultFeed: String?, blank: Model, _ columns: [Column<Model>]
  ) {
    self.name = name
    feed = defaultFeed
    self.columns = columns
    self.blank = blank
    layout = withUnsafePointer(to: blank) { blank in
      RecordLayout(
        table: name, fields: columns.map(\.schema), access: columns.map(\.access),
        blank: UnsafeRawPointer(blank))
    }
  }

  /// The names, kinds and rules that device and server agree on.
  public var schema: TableSchema { layout.schema }

  /// The place of the column that a key path leads to; nil for a property that is no column.
  func column(at path: PartialKeyPath<Model>) -> Int? {
    // A struct and its first property lie at one place, so the path decides between them.
    if let exact = columns.firstIndex(where: { $0.path == path }) { return exact }
    guard let offset = MemoryLayout<Model>.offset(of: path) else { return nil }
    return columns.firstIndex { $0.access.offset == offset }
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
}

extension Table: TableDeclaration {
  /// What the store needs of it.
  public var declared: DeclaredTable {
    DeclaredTable(name: name, feed: feed, model: ObjectIdentifier(Model.self), layout: layout)
  }
}

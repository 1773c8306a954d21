import CommuteCore

/// A declared table as it lies in the database.
///
/// The fields are numbered as declared; in the file they stand in the order in which they were
/// added over the years, and on the wire in the order of their names.
final class TableShape: Sendable {
  let name: String
  let key: Key
  let feed: Key?
  let layout: RecordLayout
  /// The place of the table in every list of tables.
  let slot: Int
  /// The declared number of each field of the file.
  let declared: [Int]
  /// The declared numbers in the order of the names.
  let sorted: [Int]
  /// The names in that order.
  let sortedNames: [Key]
  /// Each field's name as packed columns hold it.
  let packedNames: [[UInt8]]
  /// Whether the table is this device's alone.
  let isLocal: Bool
  let uniqueKeys: [UniqueColumns]
  /// The columns from whose values ids come; nil where ids are drawn.
  let derivingColumns: [Int]?
  let search: SearchTables?

  /// Takes the names of the fields in the order in which they stand in the file.
  init(_ table: DeclaredTable, slot: Int, columns: [String], name: String? = nil) {
    self.name = name ?? table.name
    key = Key(table.name)
    feed = table.feed.map { Key($0) }
    layout = table.layout
    self.slot = slot
    isLocal = table.isLocal
    uniqueKeys = table.indexes.filter(\.isUnique).map { UniqueColumns($0, of: table) }
    derivingColumns = uniqueKeys.first { $0.rule == .sameRecord }?.columns
    search = SearchTables(table)
    let fields = table.layout.fields
    declared = columns.compactMap { column in fields.firstIndex { $0.name == Key(column) } }
    packedNames = fields.map { field in
      var packer = Packer()
      packer.put(field.name.text)
      return packer.bytes
    }
    sorted = fields.indices.sorted { fields[$0].name < fields[$1].name }
    sortedNames = sorted.map { fields[$0].name }
  }

  /// The shape of a table as an earlier app declared it, for reading what it left.
  convenience init(previously name: String, fields: [FieldSchema], columns: [String]) {
    let layout = RecordLayout(table: name, fields: fields)
    let table = DeclaredTable(
      name: name, feed: nil, model: ObjectIdentifier(Self.self), layout: layout)
    self.init(table, slot: 0, columns: columns)
  }

  /// The declared number of a field; nil for one that this app does not know.
  func field(_ name: Key) -> Int? {
    layout.fields.firstIndex { $0.name == name }
  }

  /// The columns `id` and `feed`, the fields as declared, and `_commute`.
  var selection: String {
    let fields = layout.fields.map { SQL.quoted($0.name.text) }
    return (["id", "feed"] + fields + ["_commute"]).joined(separator: ", ")
  }
}

extension TableShape {
  /// The names of a set of fields.
  func names(in mask: UInt64) -> [String] {
    layout.fields.enumerated().compactMap { index, field in
      mask >> UInt64(index) & 1 == 1 ? field.name.text : nil
    }
  }

  /// The names of a set of fields, in their order.
  func sortedNames(in mask: UInt64) -> [String] {
    sorted.compactMap { field in
      mask >> UInt64(field) & 1 == 1 ? layout.fields[field].name.text : nil
    }
  }

  /// The set of fields with these names.
  func mask(of names: [Key]) -> UInt64 {
    var mask: UInt64 = 0
    for name in names {
      if let index = field(name) { mask |= 1 << UInt64(index) }
    }
    return mask
  }
}

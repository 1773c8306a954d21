public import CommuteCore

/// A plain struct that lives in a table.
///
/// ```swift
/// struct Book: Record {
///   var id = RecordID.zero
///   var title = ""
///   var rating: Int?
///
///   static let table = Table("book", feed: "books", blank: Book()) {
///     Column("title", \.title)
///     Column("rating", \.rating)
///   }
/// }
/// ```
public protocol Record: Identifiable, Sendable where ID == RecordID {
  /// The record's id; the zero id is replaced by a new one when the record is inserted.
  var id: RecordID { get set }
  /// How the type is stored; make it once, as a `static let`.
  static var table: Table<Self> { get }
}

/// Collects the columns of a table.
@resultBuilder
public enum ColumnsBuilder<Model: Record> {
  /// Takes one column.
  public static func buildExpression(_ column: Column<Model>) -> [Column<Model>] { [column] }

  /// Puts the columns together.
  public static func buildBlock(_ columns: [Column<Model>]...) -> [Column<Model>] {
    columns.flatMap { $0 }
  }
}

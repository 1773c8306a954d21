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

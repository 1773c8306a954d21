public import CommuteCore
public import CommuteStore

/// What device and server agree on about the reading list.
public enum ReadingList {
  /// The feed all books belong to.
  public static let feed = "books"
  /// The name of the schema.
  public static let schemaName = "reading-list"
  /// Raised whenever a table or field is added.
  public static let schemaVersion: UInt64 = 1

  /// The tables a device opens its store with.
  public static var tables: [any TableDeclaration] { [Book.table] }

  /// The names, kinds and rules of all fields, for a server.
  ///
  /// - Throws: `SchemaError` if a build of this feature asked for what the core cannot do.
  public static func schema() throws(SchemaError) -> Schema {
    try Schema(
      name: Key(schemaName), version: schemaVersion, tables: [Book.table.schema])
  }

  /// Why a book cannot be, in words for people; nil if it can.
  ///
  /// Devices ask before they write, the server before it accepts.
  public static func objection(title: String, rating: Int64?) -> String? {
    if title.allSatisfy(\.isWhitespace) { return "a book needs a title" }
    if let rating, !(0...5).contains(rating) { return "a rating is 0 to 5 stars, not \(rating)" }
    return nil
  }
}

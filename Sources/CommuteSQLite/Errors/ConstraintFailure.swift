/// Which rule of which table a row breaks.
public struct ConstraintFailure: Hashable, Sendable {
  /// What sort of rule it is.
  public enum Kind: Hashable, Sendable {
    /// Two rows would have the same key.
    case unique
    /// Two rows would have the same primary key.
    case primaryKey
    /// A column that needs a value has none.
    case notNull
    /// A `CHECK` does not hold.
    case check
    /// A reference points nowhere.
    case foreignKey
    /// A strict column got a value of another type.
    case datatype
    /// A trigger refused with `RAISE`.
    case trigger
    /// A rule of a kind without a name here.
    case other
  }

  /// What sort of rule it is.
  public let kind: Kind
  /// The table, where SQLite names it.
  public let table: String?
  /// The columns, where SQLite names them; for a `CHECK`, its name or its text.
  public let columns: [String]
  /// SQLite's own words.
  public let message: String

  /// Takes apart what SQLite says, such as `UNIQUE constraint failed: book.author, book.title`.
  init(extendedCode: Int32, message: String) {
    kind = Kind(extendedCode: extendedCode)
    self.message = message
    var table: String?
    var columns: [String] = []
    switch kind {
    case .unique, .primaryKey, .notNull:
      for place in message.afterColon.split(separator: ", ") {
        let parts = place.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { continue }
        table = String(parts[0])
        columns.append(String(parts[1]))
      }
    case .datatype:
      let parts = (message.split(separator: " ").last ?? "").split(separator: ".", maxSplits: 1)
      if parts.count == 2 {
        table = String(parts[0])
        columns = [String(parts[1])]
      }
    case .check:
      columns = [String(message.afterColon)]
    case .foreignKey, .trigger, .other:
      break
    }
    self.table = table
    self.columns = columns
  }
}

extension String {
  /// What follows the first colon and blank.
  fileprivate var afterColon: Substring {
    guard let colon = firstIndex(of: ":") else { return "" }
    return self[index(after: colon)...].drop { $0 == " " }
  }
}

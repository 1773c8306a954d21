import CSQLite

/// One thing that a statement wants to touch, as SQLite tells it while compiling the statement.
public struct Access: Hashable, Sendable {
  /// What is done.
  public enum Action: Hashable, Sendable {
    /// A column is read; the column is empty where only the rows are counted.
    case read(table: String, column: String)
    /// Rows are added.
    case insert(table: String)
    /// A column is written.
    case update(table: String, column: String)
    /// Rows are removed.
    case delete(table: String)
    /// A table, index, view or trigger is made, changed or dropped.
    case schema(name: String)
    /// A pragma is called.
    case pragma(name: String)
    /// A function is called.
    case function(name: String)
    /// A transaction or savepoint is begun or ended.
    case transaction
    /// Another database is attached or detached.
    case attach
    /// Rows are selected; which columns of which tables is told separately.
    case select
    /// Something without a name here, with SQLite's number for it.
    case other(Int32)
  }

  /// What is done.
  public let action: Action
  /// The innermost view or trigger that does it, or nothing where the statement itself does.
  public let within: String?

  /// Describes a touch of a table, for comparing with what a statement does.
  public init(_ action: Action, within: String? = nil) {
    self.action = action
    self.within = within
  }

  /// Translates the arguments of SQLite's callback.
  init(code: Int32, first: String?, second: String?, within: String?) {
    let name = first ?? ""
    action =
      switch code {
      case SQLITE_READ: .read(table: name, column: second ?? "")
      case SQLITE_INSERT: .insert(table: name)
      case SQLITE_UPDATE: .update(table: name, column: second ?? "")
      case SQLITE_DELETE: .delete(table: name)
      case SQLITE_ALTER_TABLE: .schema(name: second ?? "")
      case SQLITE_CREATE_INDEX...SQLITE_CREATE_VIEW, SQLITE_DROP_INDEX...SQLITE_DROP_VIEW,
        SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE, SQLITE_REINDEX, SQLITE_ANALYZE:
        .schema(name: name)
      case SQLITE_PRAGMA: .pragma(name: name)
      case SQLITE_FUNCTION: .function(name: second ?? "")
      case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: .transaction
      case SQLITE_ATTACH, SQLITE_DETACH: .attach
      case SQLITE_SELECT: .select
      default: .other(code)
      }
    self.within = within
  }
}

extension Access: CustomStringConvertible {
  /// The rest of a sentence such as "the statement must not …".
  public var description: String {
    switch action {
    case .read(let table, let column): "read \(table).\(column)"
    case .insert(let table): "insert into \(table)"
    case .update(let table, let column): "update \(table).\(column)"
    case .delete(let table): "delete from \(table)"
    case .schema(let name): "change the schema of \(name)"
    case .pragma(let name): "use PRAGMA \(name)"
    case .function(let name): "call \(name)()"
    case .transaction: "begin or end a transaction"
    case .attach: "attach or detach a database"
    case .select: "select"
    case .other(let code): "do what SQLite calls action \(code)"
    }
  }
}

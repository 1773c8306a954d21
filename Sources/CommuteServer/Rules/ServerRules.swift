public import CommuteCore

/// The tables a server knows, and its own rules for what may be written to them.
///
/// ```swift
/// var rules = ServerRules(schema)
/// rules.refuse("book") { change in
///   change["title"] == .text("") ? "a book needs a title" : nil
/// }
/// ```
/// A rule refuses one operation, never its neighbours. It must not wait or touch the network: all
/// other writes wait for it.
public struct ServerRules: Sendable {
  /// Says why a change is refused, in words for the person who made it; nil where it is not.
  public typealias Rule = @Sendable (ProposedChange) -> String?

  /// The longest reason that is sent, in bytes.
  public static let reasonLimit = 500

  private var tables = FieldMap<TableSchema>()
  private var rules = FieldMap<[Rule]>()

  /// Makes rules of nothing: every table is kept and relayed.
  public init() {}

  /// Makes rules that know the tables of a schema.
  public init(_ schema: Schema) {
    tables = schema.tables
  }

  /// Adds a rule for a table; the first rule that gives a reason decides.
  public mutating func refuse(_ table: Key, where rule: @escaping Rule) {
    rules[table] = (rules[table] ?? []) + [rule]
  }

  /// What settling a request takes of them.
  public var settlement: Settlement {
    guard !rules.isEmpty else { return Settlement(tables: tables) }
    let rules = rules
    return Settlement(tables: tables) { proposal in
      guard let own = rules[proposal.key.table] else { return nil }
      let change = ProposedChange(proposal)
      for rule in own {
        if let reason = rule(change) { return Self.shortened(reason) }
      }
      return nil
    }
  }

  private static func shortened(_ reason: String) -> String {
    var text = Substring(reason)
    while text.utf8.count > reasonLimit { text.removeLast() }
    return String(text)
  }
}

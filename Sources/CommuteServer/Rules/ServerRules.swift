public import CommuteCore

/// The tables a server knows, and its own rules for what may be written to them.
///
/// ```swift
/// var rules = ServerRules(schema)
/// rules.refuse("book") { $0.text("title") == "" ? "a book needs a title" : nil }
/// rules.forbid("review") { change in
///   change.isBy(change.lastAuthor) ? nil : "only who wrote a review may change it"
/// }
/// rules.access { account, feed in
///   feed == "prices" && account.user != "shop" ? .read : .write
/// }
/// ```
/// A rule decides about one operation, never about its neighbours. Where it throws, the operation
/// is neither taken nor refused: the device asks again later, and ``complain`` is told. It must not
/// wait or touch the network, because all other writes wait for it; where one takes longer than
/// ``patience``, the writes to its table are told to come later for the time of ``pause``, so that
/// the others go on.
public struct ServerRules: Sendable {
  /// Says why a change is not taken, in words for the person who made it; nil where it is.
  public typealias Rule = @Sendable (ProposedChange) throws -> String?
  /// Says what a user may do with a feed to which nothing was granted or taken away by name.
  public typealias Access = @Sendable (Account, Key) -> FeedAccess

  /// The longest reason that is sent, in bytes.
  public static let reasonLimit = 500

  /// How long one rule may take before its table has to wait.
  public var patience = Duration.seconds(1)
  /// How long the writes to a table wait whose rule was slow, or whose rule threw.
  public var pause = Duration.seconds(60)
  /// Told of rules that throw or are slow.
  public var complain: @Sendable (String) -> Void = { _ in }
  /// What a monotonic clock shows: for tests.
  package var clock: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

  private var schema: UInt64?
  private var tables = FieldMap<TableSchema>()
  private var rules = FieldMap<TableRules>()
  private var accessRule: Access?
  private var raising: [Raise] = []

  /// A step from older versions to a newer one.
  private struct Raise: Sendable {
    var table: Key
    var version: UInt64
    var change: @Sendable (inout OlderChange) -> Void
  }

  /// Makes rules of nothing: every table is kept and relayed, every feed open to all.
  public init() {}

  /// Makes rules that know the tables of a schema.
  public init(_ schema: Schema) {
    tables = schema.tables
    self.schema = schema.version
  }

  /// Adds a rule about what may be in a table; the first one that gives a reason decides.
  public mutating func refuse(_ table: Key, where rule: @escaping Rule) {
    var own = rules[table] ?? TableRules()
    own.refusing.append(rule)
    rules[table] = own
  }

  /// Adds a rule about who may change what in a table; these are asked before the others.
  public mutating func forbid(_ table: Key, where rule: @escaping Rule) {
    var own = rules[table] ?? TableRules()
    own.forbidding.append(rule)
    rules[table] = own
  }

  /// Says who may read and write which feed; a later call replaces an earlier one.
  ///
  /// A right that was given or taken away by name, with `ServerStore.setAccess`, goes before it.
  public mutating func access(_ rule: @escaping Access) {
    accessRule = rule
  }

  /// What a user may do with a feed to which nothing was granted or taken away by name.
  public func access(of account: Account, to feed: Key) -> FeedAccess {
    accessRule?(account, feed).shortened ?? .write
  }

  /// Adds a step for operations on a table that were written before a version of the schema.
  ///
  /// Between versions only additions are allowed, so few tables need one: for a field that has
  /// another name or form now. The steps run in the order of their versions.
  public mutating func raise(
    _ table: Key, to version: UInt64, _ change: @escaping @Sendable (inout OlderChange) -> Void
  ) {
    let step = Raise(table: table, version: version, change: change)
    raising.insert(step, at: raising.firstIndex { $0.version > version } ?? raising.count)
  }

  /// Brings the operations of a request to the present schema; their hashes stay those of the bytes
  /// that were sent.
  ///
  /// - Returns: The operations that were changed: their verdicts carry the record, because their
  ///   device cannot tell what was stored.
  public func raise(_ request: inout SyncRequest) -> Set<OperationID> {
    guard !raising.isEmpty else { return [] }
    var raised: Set<OperationID> = []
    for index in request.operations.indices {
      let operation = request.operations[index].operation
      var change = OlderChange(operation)
      for step in raising where step.table == operation.key.table {
        if operation.schema < step.version { step.change(&change) }
      }
      guard change.operation.fields != operation.fields else { continue }
      request.operations[index].operation = change.operation
      // The step knows the fields that it made; the device's schema does not.
      request.operations[index].operation.declares =
        tables[operation.key.table]?.declarations(of: change.operation.fields.names) ?? []
      raised.insert(operation.id)
    }
    return raised
  }

  /// The right to a feed of a user to whom nothing was granted or taken away by name.
  public func right(of account: Account, to feed: Key) -> FeedRight {
    FeedRight(access(of: account, to: feed))
  }

  /// What settling a request takes of them.
  public var settlement: Settlement {
    let judge = RuleJudge(
      rules: rules, tables: tables, schema: schema, patience: patience, pause: pause,
      complain: complain, clock: clock)
    return Settlement(tables: tables) { judge.objection(to: $0) }
  }
}

/// The rules of one table.
struct TableRules: Sendable {
  var forbidding: [ServerRules.Rule] = []
  var refusing: [ServerRules.Rule] = []
}

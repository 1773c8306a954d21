import CommuteCore

/// What is known of one record with fields of several rules: who wrote what into which operation,
/// and what the server must hold.
///
/// The world that plays the record tells it what happens and asks it what must be.
struct RuleBook {
  let rules: [OracleRule]
  let names: [Key]
  let table: TableSchema
  var oracle: RuleOracle
  var violation: Violation?
  /// The edits of each field that an operation carries, by its id.
  var contents: [OperationID: [[Int]]] = [:]
  /// What the fields of the server were at each revision.
  var snapshots: [Revision: [RuleField]] = [:]
  /// What the fields were that are offered again, by the offer's id.
  var offered: [OperationID: [RuleField]] = [:]
  /// The edits of which it was told that they lost.
  var told: [Int] = []
  /// The latest edit and the latest deletion, where an edit revives.
  var latestEdit = Moment.start
  var latestDeletion = Moment.start
  /// Whether a history of the server was lost, or a machine was put back: what lost to what is then
  /// decided by stamps of which the writers knew nothing.
  var isLoose = false
  /// The ids under which a device goes on that was put back and did not notice: until the server
  /// tells, what waits under one and what the server holds of it hide each other.
  var shared: Set<ReplicaID> = []
  /// Whether counts under such an id may hide each other for good: the server could not notice, or
  /// did not tell the record, or the device has deleted it meanwhile.
  var mayHideCounts = false
  /// What may have been counted twice, by field.
  var doubled: [(up: Int, down: Int)] = []
  /// The replicas under which something was counted and refused.
  var refusedCounts: Set<ReplicaID> = []
  /// The edits of operations that were refused: a copy of the file may send them all the same.
  var refused: Set<Int> = []
  /// Values that were replaced in the row that held them.
  var collapsed: Set<Int> = []
  /// What rows carried before it was counted anew, for a file that goes back.
  var moves: [Move] = []
  /// The edit of each field that was last written anew with one that revived the record.
  var carried: [Int] = []

  /// What one row carried before a device moved it to another operation.
  struct Move {
    var device: Int
    var version: Int
    var row: OperationID
    var field: Int
    var numbers: [Int]
  }

  /// Whether records are deleted and revived here.
  var isReviving: Bool { table.rule == .editRevives }

  /// Draws a table of one to three fields, only of counters where those are what matters.
  init(_ choices: inout Choices, counts: Bool = false) {
    var drawn: [OracleRule] = []
    let reviving = choices.oneIn(8)
    let count = 1 + choices.draw(3)
    for _ in 0..<count {
      let rule = OracleRule(rawValue: choices.draw(OracleRule.allCases.count)) ?? .latest
      let isCounter = reviving ? drawn.count % 2 == 0 : counts
      drawn.append(isCounter ? .counter : reviving ? .latest : rule)
    }
    rules = drawn
    names = drawn.indices.map { Stage.itemFields[$0] }
    table = TableSchema(
      "item", fields: zip(names, drawn).map { Self.schema($0, $1) },
      rule: reviving ? .editRevives : .deleteWins)
    oracle = RuleOracle(rules: drawn)
    doubled = drawn.map { _ in (0, 0) }
    carried = drawn.map { _ in 0 }
  }

  private static func schema(_ name: Key, _ rule: OracleRule) -> FieldSchema {
    switch rule {
    case .latest: FieldSchema(name, .text)
    case .maximum: FieldSchema(name, .integer, rule: .maximum)
    case .minimum: FieldSchema(name, .integer, rule: .minimum)
    case .counter: FieldSchema(name, .integer, rule: .counter)
    case .rising: FieldSchema(name, .integer, rule: .growOnlyCounter)
    case .set: FieldSchema(name, .list, rule: .set)
    case .text: FieldSchema(name, .text, rule: .text)
    case .serverWins: FieldSchema(name, .text, rule: .serverWins)
    case .clientWins: FieldSchema(name, .text, rule: .clientWins)
    case .keepBoth: FieldSchema(name, .text, rule: .keepBoth)
    }
  }

  /// The number of a field by its name.
  func field(_ name: Key) -> Int? { names.firstIndex(of: name) }

  /// Notes a broken promise; the first one counts.
  mutating func blame(_ invariant: Int, _ text: @autoclosure () -> String) {
    if violation == nil { violation = Violation(invariant: invariant, text: text()) }
  }

  /// The edit that a value stands for; 0 for none, negative for a seed.
  static func edit(of value: FieldValue?) -> Int {
    switch value {
    case .integer(let number)?:
      let rest = Int(number % 1_000)
      return rest >= 900 ? 900 - rest : rest
    case .text(let text)?:
      let number = Int(text.dropFirst()) ?? 0
      return text.hasPrefix("s") ? -number : number
    default: return 0
    }
  }
}

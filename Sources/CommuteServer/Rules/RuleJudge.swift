import CommuteCore
import Synchronization

/// Asks the rules of a table, and keeps what they do to themselves.
final class RuleJudge: Sendable {
  private let rules: FieldMap<TableRules>
  private let tables: FieldMap<TableSchema>
  private let schema: UInt64?
  private let patience: Duration
  private let pause: Duration
  private let complain: @Sendable (String) -> Void
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  private struct State {
    /// Until when the writes to a table wait.
    var waiting: [Key: ContinuousClock.Instant] = [:]
    /// Until when nothing is said of a table's rules that throw.
    var silent: [Key: ContinuousClock.Instant] = [:]
  }

  init(
    rules: FieldMap<TableRules>, tables: FieldMap<TableSchema>, schema: UInt64?,
    patience: Duration, pause: Duration, complain: @escaping @Sendable (String) -> Void,
    clock: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.rules = rules
    self.tables = tables
    self.schema = schema
    self.patience = patience
    self.pause = pause
    self.complain = complain
    self.clock = clock
  }

  /// What the rules have against a proposal; nil for nothing.
  func objection(to proposal: Settlement.Proposal) -> Settlement.Objection? {
    if let missing = missingField(in: proposal) {
      return .invalid("\(proposal.key.table.text) needs a \(missing.text); update the app")
    }
    guard let own = rules[proposal.key.table] else { return nil }
    if let wait = wait(of: proposal.key.table) { return .later(afterMilliseconds: wait) }
    let start = clock()
    let change = ProposedChange(proposal)
    defer { note(start.duration(to: clock()), of: proposal.key.table) }
    do {
      for rule in own.forbidding {
        if let reason = try rule(change) { return .forbidden(Reason.line(reason)) }
      }
      for rule in own.refusing {
        if let reason = try rule(change) { return .invalid(Reason.line(reason)) }
      }
      return nil
    } catch {
      // The fault is the server's: the person is told of no refusal that nobody decided.
      tell(error, of: proposal.key.table)
      return .later(afterMilliseconds: Self.milliseconds(pause))
    }
  }

  /// Says once in a while that a table's rules throw.
  private func tell(_ error: any Error, of table: Key) {
    let now = clock()
    let isNews = state.withLock { state in
      if let end = state.silent[table], now < end { return false }
      state.silent[table] = now.advanced(by: pause)
      return true
    }
    guard isNews else { return }
    complain("a rule of \(table.text) failed, writes wait: \(Reason.line("\(error)"))")
  }

  /// A required field that a new record lacks although its writer knew this schema.
  private func missingField(in proposal: Settlement.Proposal) -> Key? {
    guard proposal.before == nil, proposal.schema == schema, proposal.after.deleted == nil,
      let table = tables[proposal.key.table]
    else { return nil }
    for field in table.fields.entries where !field.value.isOptional {
      guard field.value.rule == .latest else { continue }
      if proposal.after.fields[field.name] == nil { return field.name }
    }
    return nil
  }

  /// How many milliseconds the writes to a table still wait.
  private func wait(of table: Key) -> UInt64? {
    state.withLock { state in
      guard let end = state.waiting[table] else { return nil }
      let left = clock().duration(to: end)
      guard left > .zero else {
        state.waiting[table] = nil
        return nil
      }
      return max(1, Self.milliseconds(left))
    }
  }

  private func note(_ time: Duration, of table: Key) {
    guard time > patience else { return }
    state.withLock { $0.waiting[table] = clock().advanced(by: pause) }
    complain(
      "a rule of \(table.text) took \(Self.milliseconds(time)) ms; writes to it wait for"
        + " \(Self.milliseconds(pause)) ms, make the rule faster")
  }

  private static func milliseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    return UInt64(max(0, seconds)) * 1_000 + UInt64(max(0, attoseconds / 1_000_000_000_000_000))
  }
}

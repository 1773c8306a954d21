extension Settlement {
  /// What an operation would make of a record, for the server's own rules to judge.
  public struct Proposal: Sendable {
    /// The operation.
    public var operation: OperationID
    /// The schema version it was written under.
    public var schema: UInt64
    /// The record.
    public var key: RecordKey
    /// The feed it belongs to.
    public var feed: Key
    /// Its state now; nil where the operation makes it.
    public var before: RecordState?
    /// Its state after the operation, merged.
    public var after: RecordState
    /// Who acts.
    public var user: String
  }

  /// Why a rule of the server's own does not let a proposal pass.
  public enum Objection: Sendable {
    /// It cannot be written as it is, in words for the person who wrote it.
    case invalid(String)
    /// The user may not write there, in words for the person who tried.
    case forbidden(String)
    /// It could not be judged; the device asks again after so long.
    case later(afterMilliseconds: UInt64)
  }

  /// Asks the server's own rules.
  ///
  /// - Returns: The verdict of an objection; nil where there is none.
  func objection(
    to operation: Operation, before: RecordState?, after: RecordState, user: String
  ) -> Verdict? {
    let proposal = Proposal(
      operation: operation.id, schema: operation.schema, key: operation.key,
      feed: operation.feed, before: before, after: after, user: user)
    guard let objection = validate?(proposal) else { return nil }
    let kind: Verdict.Kind =
      switch objection {
      case .invalid(let words): .rejected(.invalid, message: words)
      case .forbidden(let words): .rejected(.forbidden, message: words)
      case .later(let wait): .later(.unavailable, afterMilliseconds: wait)
      }
    if case .later = objection { return Verdict(id: operation.id, kind: kind) }
    return Verdict(
      id: operation.id, kind: kind, revision: before?.revision,
      record: before.map { RecordMessage(key: operation.key, state: $0) })
  }
}

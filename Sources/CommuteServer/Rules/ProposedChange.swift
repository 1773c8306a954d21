public import CommuteCore

/// What a rule of the server judges: a record as it would be after an operation.
public struct ProposedChange: Sendable {
  private let proposal: Settlement.Proposal

  init(_ proposal: Settlement.Proposal) {
    self.proposal = proposal
  }

  /// The record's table.
  public var table: Key { proposal.key.table }

  /// The record's id.
  public var id: RecordID { proposal.key.id }

  /// The feed it belongs to.
  public var feed: Key { proposal.feed }

  /// The schema version of the app that wrote it.
  public var schema: UInt64 { proposal.schema }

  /// Who acts.
  public var user: String { proposal.user }

  /// Whether this user acts; names are compared by their bytes.
  ///
  /// True for nobody at all, so that whoever makes a record passes a rule about its last author.
  public func isBy(_ user: String?) -> Bool {
    user.map { Key($0) == Key(proposal.user) } ?? true
  }

  /// The user who changed the record last; nil where the operation makes it.
  public var lastAuthor: String? { proposal.before?.author }

  /// Whether the operation makes the record.
  public var isNew: Bool { proposal.before == nil }

  /// Whether the record is deleted afterwards.
  public var isDeletion: Bool { proposal.after.deleted != nil }

  /// A field as it would be; null where the record has none.
  public subscript(field: Key) -> FieldValue { proposal.after.fields[field]?.value ?? .null }

  /// A field as it is now; null where the record has none.
  public func before(_ field: Key) -> FieldValue { proposal.before?.fields[field]?.value ?? .null }

  /// A text as it would be; nil for anything else.
  public func text(_ field: Key) -> String? {
    guard case .text(let text) = self[field] else { return nil }
    return text
  }

  /// An integer as it would be; nil for anything else.
  public func integer(_ field: Key) -> Int64? {
    guard case .integer(let number) = self[field] else { return nil }
    return number
  }

  /// Whether the operation changes the field's value.
  public func changes(_ field: Key) -> Bool { self[field] != before(field) }
}

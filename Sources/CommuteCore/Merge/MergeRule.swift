/// How concurrent changes of one field become one value.
///
/// The rule of a field never changes under the same name. This build carries out ``latest``; a
/// schema that asks for another is refused by name (see ``SchemaError``), so that nobody believes
/// in a rule that does not run.
public enum MergeRule: UInt8, Hashable, Sendable, CaseIterable {
  /// The greatest stamp wins.
  case latest
  /// The greatest value wins.
  case maximum
  /// The least value wins.
  case minimum
  /// A total that only rises, summed over devices.
  case growOnlyCounter
  /// A total that rises and falls, summed over devices.
  case counter
  /// An observed-remove set.
  case set
  /// Three-way merge of words.
  case text
  /// The server's value stays where the writer had not seen it.
  case serverWins
  /// The writer's value wins against anything unseen.
  case clientWins
  /// Concurrent values stay side by side until a person decides.
  case keepBoth

  /// The rule's name on the wire and in messages.
  public var name: Key {
    switch self {
    case .latest: "latest"
    case .maximum: "maximum"
    case .minimum: "minimum"
    case .growOnlyCounter: "growOnlyCounter"
    case .counter: "counter"
    case .set: "set"
    case .text: "text"
    case .serverWins: "serverWins"
    case .clientWins: "clientWins"
    case .keepBoth: "keepBoth"
    }
  }

  /// Whether this build carries the rule out.
  public var isSupported: Bool { self == .latest }
}

/// What becomes of a record that one device deletes while another edits it.
public enum RecordRule: UInt8, Hashable, Sendable, CaseIterable {
  /// The deletion stands; the same content again is a new record.
  case deleteWins
  /// A later edit brings the record back.
  case editRevives

  /// The rule's name on the wire and in messages.
  public var name: Key {
    switch self {
    case .deleteWins: "deleteWins"
    case .editRevives: "editRevives"
    }
  }

  /// Whether this build carries the rule out.
  public var isSupported: Bool { self == .deleteWins }
}

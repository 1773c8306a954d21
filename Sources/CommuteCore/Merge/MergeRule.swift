/// How concurrent changes of one field become one value.
///
/// The rule of a field never changes under the same name. `Documentation/Semantics.md` says what
/// each promises.
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

  /// The rule of a name; nil for one that this build does not know.
  public init?(name: Key) {
    for rule in MergeRule.allCases where rule.name == name {
      self = rule
      return
    }
    return nil
  }

  /// Whether it sums totals.
  public var isCounter: Bool { self == .counter || self == .growOnlyCounter }

  /// Whether changes are parts of the value and not values: totals and elements.
  public var isSummed: Bool { isCounter || self == .set }

  /// Whether it keeps more beside a value than its stamps.
  public var keepsState: Bool {
    switch self {
    case .latest, .maximum, .minimum, .serverWins: false
    case .growOnlyCounter, .counter, .set, .text, .clientWins, .keepBoth: true
    }
  }

  /// Whether a field of a kind can have the rule.
  public func fits(_ kind: FieldKind) -> Bool {
    switch self {
    case .growOnlyCounter, .counter: kind == .integer
    case .set: kind == .list
    case .text: kind == .text
    case .latest, .maximum, .minimum, .serverWins, .clientWins, .keepBoth: true
    }
  }
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
}

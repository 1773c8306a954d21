/// Why a value cannot be part of a record; found where the value enters, before anything is stored.
public enum ValueRefusal: Error, Hashable, Sendable {
  /// A text contains NUL, which other platforms cannot store.
  case containsNUL
  /// A number is infinite or none at all.
  case notFinite
  /// The text, byte string or list is over a limit.
  case tooLarge(bytes: Int, WireLimit)

  /// What happened and what to do, in one line; never the content.
  public var message: String {
    switch self {
    case .containsNUL: "the text contains the character NUL; remove it"
    case .notFinite: "the number is not finite; use null for no value"
    case .tooLarge(let bytes, let limit): "\(bytes) bytes are too many: \(limit.message)"
    }
  }
}

extension FieldValue {
  /// Why the value cannot be part of a record; nil if it can.
  ///
  /// What passes here comes back equal from the wire. The list is held to the record's limit, each
  /// of its texts to a text's.
  public var refusal: ValueRefusal? {
    switch self {
    case .null, .boolean, .integer, .instant: nil
    case .double(let number): number.isFinite ? nil : .notFinite
    case .text(let text): Self.refusal(of: text)
    case .bytes(let bytes), .unknown(let bytes): Self.refusal(ofCount: bytes.count, .text)
    case .list(let texts):
      texts.lazy.compactMap { Self.refusal(of: $0) }.first
        ?? Self.refusal(ofCount: texts.reduce(0) { $0 + $1.utf8.count + 3 }, .record)
    }
  }

  private static func refusal(of text: String) -> ValueRefusal? {
    if text.utf8.contains(0) { return .containsNUL }
    return refusal(ofCount: text.utf8.count, .text)
  }

  private static func refusal(ofCount count: Int, _ limit: WireLimit) -> ValueRefusal? {
    count > limit.value ? .tooLarge(bytes: count, limit) : nil
  }
}

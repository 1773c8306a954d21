/// A name (table, field, feed, rule) that is compared, ordered and hashed by its UTF-8 bytes.
///
/// Swift compares text by canonical equivalence, SQLite, JavaScript and the wire by bytes. A name
/// must mean the same on all of them, so it never goes through `String`'s own `==` or `<`.
public struct Key: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
  /// The name as text.
  public let text: String

  /// Makes a key of a text; the bytes decide, no normalization takes place.
  @inlinable
  public init(_ text: String) {
    self.text = text
  }

  /// Makes a key of a literal.
  @inlinable
  public init(stringLiteral value: StaticString) {
    text = value.description
  }

  /// Whether both have the same bytes.
  @inlinable
  public static func == (left: Key, right: Key) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  /// Orders by bytes, the shorter first where one begins with the other.
  @inlinable
  public static func < (left: Key, right: Key) -> Bool {
    left.text.bytesPrecede(right.text)
  }

  /// Feeds the bytes and their count.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    let view = text.utf8
    hasher.combine(view.count)
    for byte in view { hasher.combine(byte) }
  }
}

extension String {
  /// Whether both texts have the same UTF-8 bytes.
  @inlinable
  package func hasSameBytes(as other: String) -> Bool {
    let left = utf8
    let right = other.utf8
    return left.count == right.count && left.elementsEqual(right)
  }

  /// Whether this text's UTF-8 bytes come before the other's.
  @inlinable
  package func bytesPrecede(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}

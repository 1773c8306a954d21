/// A name (table, field, feed, rule) that is compared, ordered and hashed by its UTF-8 bytes.
///
/// Swift compares text by canonical equivalence, SQLite, JavaScript and the wire by bytes. A name
/// must mean the same on all of them, so it never goes through `String`'s own `==` or `<`. Its
/// first eight bytes are kept as a number, which decides nearly every comparison: names are
/// compared more often than anything else here.
public struct Key: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
  /// The name as text.
  public let text: String
  /// The first eight bytes, the first one highest; missing ones are zero.
  @usableFromInline let head: UInt64

  /// Makes a key of a text; the bytes decide, no normalization takes place.
  @inlinable
  public init(_ text: String) {
    self.text = text
    var head: UInt64 = 0
    var shift: UInt64 = 64
    for byte in text.utf8 {
      if shift == 0 { break }
      shift -= 8
      head |= UInt64(byte) << shift
    }
    self.head = head
  }

  /// Makes a key of a literal.
  @inlinable
  public init(stringLiteral value: StaticString) {
    self.init(value.description)
  }

  /// Whether both have the same bytes.
  @inlinable
  public static func == (left: Key, right: Key) -> Bool {
    guard left.head == right.head else { return false }
    let count = left.text.utf8.count
    guard count == right.text.utf8.count else { return false }
    return count <= 8 || left.text.hasSameBytes(as: right.text)
  }

  /// Orders by bytes, the shorter first where one begins with the other.
  @inlinable
  public static func < (left: Key, right: Key) -> Bool {
    if left.head != right.head { return left.head < right.head }
    // Equal heads and nothing behind one of them: the shorter one comes first.
    let count = left.text.utf8.count
    let other = right.text.utf8.count
    if count <= 8 || other <= 8 { return count < other }
    return left.text.bytesPrecede(right.text)
  }

  /// Feeds the bytes and their count.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    let count = text.utf8.count
    hasher.combine(head)
    hasher.combine(count)
    guard count > 8 else { return }
    for byte in text.utf8.dropFirst(8) { hasher.combine(byte) }
  }
}

extension String {
  /// Whether both texts have the same UTF-8 bytes.
  @inlinable
  package func hasSameBytes(as other: String) -> Bool {
    let left = utf8
    let right = other.utf8
    guard left.count == right.count else { return false }
    // Iterating over a text's bytes one by one costs several times as much as over a buffer.
    let isSame = unsafe left.withContiguousStorageIfAvailable { one in
      unsafe right.withContiguousStorageIfAvailable { two in
        var at = 0
        while at < one.count, unsafe one[at] == two[at] { at += 1 }
        return at == one.count
      }
    }
    if case .some(.some(let isSame)) = isSame { return isSame }
    return left.elementsEqual(right)
  }

  /// Whether this text's UTF-8 bytes come before the other's.
  @inlinable
  package func bytesPrecede(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}

/// The name of a kind of vector, compared byte by byte so that `switch` needs no Unicode tables.
public struct VectorKind: Hashable, Sendable, CustomStringConvertible {
  /// The name in UTF-8.
  public var name: [UInt8]

  /// The name as text.
  public var description: String { String(decoding: name, as: UTF8.self) }

  /// Lets a kind stand in a `switch` over string literals.
  public static func ~= (pattern: StaticString, kind: VectorKind) -> Bool {
    pattern.withUTF8Buffer { unsafe $0.elementsEqual(kind.name) }
  }
}

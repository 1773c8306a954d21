/// Header fields in the order they are sent, found by name whatever its case.
public struct HTTPHeaders: Hashable, Sendable, RandomAccessCollection {
  /// One field of a head.
  public struct Field: Hashable, Sendable {
    /// The name as it was written.
    public var name: String
    /// The value without the blanks around it.
    public var value: String

    /// Makes a field of a name and a value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  private var fields: [Field] = []

  /// Makes a list without fields.
  public init() {}

  /// Makes a list of these fields, in this order.
  public init(_ fields: [Field]) {
    self.fields = fields
  }

  /// The position of the first field.
  public var startIndex: Int { 0 }

  /// The position behind the last field.
  public var endIndex: Int { fields.count }

  /// The field at a position.
  public subscript(position: Int) -> Field { fields[position] }

  /// The value of the first field of this name; setting it replaces all of them, nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.isSame($0.name, name) }?.value }
    set {
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.append(Field(name: name, value: newValue)) }
    }
  }

  /// All values of this name, in the order they came.
  public func values(of name: String) -> [String] {
    fields.filter { Self.isSame($0.name, name) }.map(\.value)
  }

  /// Adds a field behind the others, also where the name is there already.
  public mutating func append(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Whether a field is a comma-separated list with this word in it, whatever its case.
  func lists(_ word: String, in name: String) -> Bool {
    values(of: name).contains { value in
      value.split(separator: ",").contains { Self.isSame(Self.trimmed($0), word) }
    }
  }

  /// Compares ASCII letters without their case, and everything else byte by byte.
  static func isSame(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
    one.utf8.elementsEqual(other.utf8) { lower($0) == lower($1) }
  }

  /// Cuts blanks and tabs off both ends.
  static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
    while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
    return text
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes a list of names and values, in the order they are written.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0, value: $1) }
  }
}

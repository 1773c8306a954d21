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

  /// Refuses what would end a line of the head early, or start another.
  func checkForSending() throws(HTTPClientError) {
    for field in fields {
      let isName = !field.name.isEmpty && field.name.utf8.allSatisfy(Self.isOfName)
      guard isName, field.value.utf8.allSatisfy(Self.isOfValue) else {
        throw .badAddress(reason: "the field \(field.name) has a character that ends lines")
      }
    }
  }

  /// The characters of a token in RFC 9110, of which names are made.
  static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// Anything but control characters, of which only the tab is one of a value's.
  static func isOfValue(_ byte: UInt8) -> Bool {
    (byte >= 0x20 && byte != 0x7F) || byte == 0x09
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

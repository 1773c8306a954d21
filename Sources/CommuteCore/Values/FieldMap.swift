/// Values by field name, kept in the order of the names' bytes.
///
/// Its order is part of the wire and of every hash, which a `Dictionary`'s is not. Records have few
/// fields, so a sorted array is also the faster one.
public struct FieldMap<Value: Sendable>: Sendable {
  /// One field and its value.
  public struct Entry: Sendable {
    /// The field's name.
    public let name: Key
    /// What is held for it.
    public var value: Value

    /// Makes an entry.
    @inlinable
    public init(name: Key, value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// The entries in the order of their names.
  public private(set) var entries: [Entry]

  /// Makes an empty map.
  public init() {
    entries = []
  }

  /// Makes a map of pairs; of two with one name the later stays.
  public init(_ pairs: some Sequence<(Key, Value)>) {
    entries = []
    for (name, value) in pairs { self[name] = value }
  }

  /// Makes a map of entries that are in the order of their names already, none twice.
  init(ordered entries: [Entry]) {
    self.entries = entries
  }

  /// Whether the map holds nothing.
  @inlinable
  public var isEmpty: Bool { entries.isEmpty }

  /// How many fields the map holds.
  @inlinable
  public var count: Int { entries.count }

  /// The names in order.
  public var names: [Key] { entries.map { $0.name } }

  /// Makes room for `count` entries.
  public mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(count)
  }

  /// The value of a field; setting nil removes it.
  public subscript(name: Key) -> Value? {
    get {
      let (index, found) = place(of: name)
      return found ? entries[index].value : nil
    }
    set {
      let (index, found) = place(of: name)
      switch (newValue, found) {
      case (.some(let value), true): entries[index].value = value
      case (.some(let value), false): entries.insert(Entry(name: name, value: value), at: index)
      case (nil, true): entries.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// The value at a position of ``entries``, to be changed in place.
  @inlinable
  public subscript(position position: Int) -> Value {
    get { entries[position].value }
    set { setValue(newValue, at: position) }
  }

  /// Where a name stands, or would stand, and whether it does.
  public func place(of name: Key) -> (index: Int, found: Bool) {
    if let last = entries.last, last.name < name { return (entries.count, false) }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return (low, low < entries.count && entries[low].name == name)
  }

  @usableFromInline
  mutating func setValue(_ value: Value, at position: Int) {
    entries[position].value = value
  }

  /// The same names with other values.
  public func mapValues<Other: Sendable>(_ transform: (Value) -> Other) -> FieldMap<Other> {
    var result = FieldMap<Other>()
    result.reserveCapacity(count)
    for entry in entries { result.append(entry.name, transform(entry.value)) }
    return result
  }

  /// Adds an entry whose name comes after all others; anything else goes through the subscript.
  public mutating func append(_ name: Key, _ value: Value) {
    if let last = entries.last, !(last.name < name) {
      self[name] = value
    } else {
      entries.append(Entry(name: name, value: value))
    }
  }
}

extension FieldMap.Entry: Equatable where Value: Equatable {}
extension FieldMap.Entry: Hashable where Value: Hashable {}
extension FieldMap: Equatable where Value: Equatable {}
extension FieldMap: Hashable where Value: Hashable {}

extension FieldMap: ExpressibleByDictionaryLiteral {
  /// Makes a map of a literal.
  public init(dictionaryLiteral elements: (Key, Value)...) {
    self.init(elements)
  }
}

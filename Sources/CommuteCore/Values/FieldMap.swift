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

  @usableFromInline var storage: [Entry]

  /// The entries in the order of their names.
  @inlinable
  public var entries: [Entry] { storage }

  /// Makes an empty map.
  @inlinable
  public init() {
    storage = []
  }

  /// Makes a map of pairs; of two with one name the later stays.
  @inlinable
  public init(_ pairs: some Sequence<(Key, Value)>) {
    storage = []
    for (name, value) in pairs { self[name] = value }
  }

  /// Makes a map of entries that are in the order of their names already, none twice.
  init(ordered entries: [Entry]) {
    storage = entries
  }

  /// Whether the map holds nothing.
  @inlinable
  public var isEmpty: Bool { storage.isEmpty }

  /// How many fields the map holds.
  @inlinable
  public var count: Int { storage.count }

  /// The names in order.
  @inlinable
  public var names: [Key] { storage.map { $0.name } }

  /// Makes room for `count` entries.
  @inlinable
  public mutating func reserveCapacity(_ count: Int) {
    storage.reserveCapacity(count)
  }

  /// The value of a field; setting nil removes it.
  @inlinable
  public subscript(name: Key) -> Value? {
    get {
      let (index, found) = place(of: name)
      return found ? storage[index].value : nil
    }
    set {
      let (index, found) = place(of: name)
      switch (newValue, found) {
      case (.some(let value), true): storage[index].value = value
      case (.some(let value), false) where index == storage.count:
        if index == 0 { storage.reserveCapacity(4) }
        storage.append(Entry(name: name, value: value))
      case (.some(let value), false): storage.insert(Entry(name: name, value: value), at: index)
      case (nil, true): storage.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// The value at a position of ``entries``, to be changed in place.
  @inlinable
  public subscript(position position: Int) -> Value {
    get { storage[position].value }
    _modify { yield &storage[position].value }
  }

  /// Where a name stands, or would stand, and whether it does.
  @inlinable
  public func place(of name: Key) -> (index: Int, found: Bool) {
    var high = storage.count
    guard high > 0 else { return (0, false) }
    if storage[high - 1].name < name { return (high, false) }
    var low = 0
    // Most records have few fields, and looking at all of them is the fastest then.
    while high - low > 8 {
      let middle = (low + high) / 2
      if storage[middle].name < name { low = middle + 1 } else { high = middle }
    }
    while low < high, storage[low].name < name { low += 1 }
    return (low, low < storage.count && storage[low].name == name)
  }

  /// The same names with other values.
  @inlinable
  public func mapValues<Other: Sendable>(_ transform: (Value) -> Other) -> FieldMap<Other> {
    var result = FieldMap<Other>()
    result.reserveCapacity(count)
    for entry in storage { result.append(entry.name, transform(entry.value)) }
    return result
  }

  /// Adds an entry whose name comes after all others; anything else goes through the subscript.
  @inlinable
  public mutating func append(_ name: Key, _ value: Value) {
    if let last = storage.last, !(last.name < name) {
      self[name] = value
    } else {
      storage.append(Entry(name: name, value: value))
    }
  }
}

extension FieldMap.Entry: Equatable where Value: Equatable {}
extension FieldMap.Entry: Hashable where Value: Hashable {}
extension FieldMap: Equatable where Value: Equatable {}
extension FieldMap: Hashable where Value: Hashable {}

extension FieldMap: ExpressibleByDictionaryLiteral {
  /// Makes a map of a literal.
  @inlinable
  public init(dictionaryLiteral elements: (Key, Value)...) {
    self.init(elements)
  }
}

/// An observed-remove set: additions by their tags, and the tags of additions that were removed.
///
/// An addition whose tag is among the removed ones never comes back, whatever the order in which
/// both are heard of. An addition that the remover had not seen has another tag and stays.
public struct SetState: Hashable, Sendable {
  /// A removed addition.
  public struct Removal: Hashable, Sendable {
    /// The addition that was removed.
    public var tag: ElementTag
    /// When, in milliseconds of the removing change's stamp.
    public var milliseconds: UInt64

    /// Makes it of both.
    public init(tag: ElementTag, milliseconds: UInt64) {
      self.tag = tag
      self.milliseconds = milliseconds
    }
  }

  /// The additions that stand, in the order of their tags.
  public private(set) var additions: [TaggedElement] = []
  /// The removed ones, in the order of their tags.
  public private(set) var removals: [Removal] = []

  /// Makes an empty set.
  public init() {}

  /// Takes an addition in, unless it was removed.
  ///
  /// Only a broken device puts two elements under one tag; the greater bytes stay then.
  public mutating func add(_ addition: TaggedElement) {
    if removal(of: addition.tag).found { return }
    let (index, found) = place(of: addition.tag)
    if !found {
      additions.insert(addition, at: index)
    } else if additions[index].element.bytesPrecede(addition.element) {
      additions[index] = addition
    }
  }

  /// Takes a removal in; of two of one addition the later moment stays.
  public mutating func remove(_ removal: Removal) {
    let (index, found) = place(of: removal.tag)
    if found { additions.remove(at: index) }
    #if PLANTED
      if Planted.isActive(.removalsForgotten) { return }
    #endif
    let (place, isThere) = self.removal(of: removal.tag)
    if isThere {
      let known = removals[place].milliseconds
      removals[place].milliseconds = max(known, removal.milliseconds)
    } else {
      removals.insert(removal, at: place)
    }
  }

  /// Both sets' additions and removals.
  public func merged(with other: SetState) -> SetState {
    var result = self
    for removal in other.removals { result.remove(removal) }
    for addition in other.additions { result.add(addition) }
    return result
  }

  /// The elements, each once, in the order of their bytes.
  public var elements: [String] {
    var sorted = additions.map { Key($0.element) }
    sorted.sort()
    var result: [String] = []
    for (index, key) in sorted.enumerated() where index == 0 || sorted[index - 1] != key {
      result.append(key.text)
    }
    return result
  }

  /// The tags of an element's additions.
  public func tags(of element: String) -> [ElementTag] {
    var tags: [ElementTag] = []
    for addition in additions where addition.element.hasSameBytes(as: element) {
      tags.append(addition.tag)
    }
    return tags
  }

  /// Whether an addition was made, and perhaps removed since.
  public func knows(_ tag: ElementTag) -> Bool { place(of: tag).found || removal(of: tag).found }

  /// Forgets the removals before a moment, but for those of seeds, which any device may add again.
  ///
  /// Only behind the fence that also purges tombstones: who has not heard of a removal would bring
  /// its element back.
  public mutating func prune(before milliseconds: UInt64) {
    removals.removeAll { $0.milliseconds < milliseconds && !$0.tag.isSeeded }
  }

  private func place(of tag: ElementTag) -> (index: Int, found: Bool) {
    additions.place(of: tag) { $0.tag }
  }

  private func removal(of tag: ElementTag) -> (index: Int, found: Bool) {
    removals.place(of: tag) { $0.tag }
  }
}

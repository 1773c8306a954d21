/// Puts together what two sides made of one base.
struct TextJoining {
  private let base: [Key]
  private let separator: String
  /// The merged text so far.
  private(set) var text = ""
  /// Whether both sides changed one place.
  private(set) var isConflict = false

  init(base: TextMerge.Pieces, separator: String) {
    self.base = base.keys
    self.separator = separator
  }

  /// Joins the changes of the earlier side and of the later one.
  mutating func join(_ first: [TextChange], _ second: [TextChange]) {
    var place = 0
    var one = 0
    var two = 0
    while one < first.count || two < second.count {
      let takesFirst = Self.isBefore(first, one, second, two)
      var group = takesFirst ? first[one] : second[two]
      let from = (one, two)
      if takesFirst { one += 1 } else { two += 1 }
      while true {
        if one < first.count, Self.touches(group, first[one]) {
          group.end = max(group.end, first[one].end)
          one += 1
        } else if two < second.count, Self.touches(group, second[two]) {
          group.end = max(group.end, second[two].end)
          two += 1
        } else {
          break
        }
      }
      append(base[place..<group.start])
      join(group, first[from.0..<one], second[from.1..<two])
      place = group.end
    }
    append(base[place...])
  }

  /// Whether the next change of the first side comes before that of the second.
  private static func isBefore(
    _ first: [TextChange], _ one: Int, _ second: [TextChange], _ two: Int
  ) -> Bool {
    guard one < first.count else { return false }
    guard two < second.count else { return true }
    if first[one].start != second[two].start { return first[one].start < second[two].start }
    return first[one].end <= second[two].end
  }

  /// Whether a change lies where another does: pieces of both are gone, something was put between
  /// pieces that are gone, or both were put between the same pieces.
  private static func touches(_ group: TextChange, _ change: TextChange) -> Bool {
    if group.start == group.end { return change.start == change.end && change.start == group.start }
    // An insertion before the group's first piece came before the group.
    return change.start < group.end
  }

  /// Writes a place that one side changed, or both.
  private mutating func join(
    _ group: TextChange, _ first: ArraySlice<TextChange>, _ second: ArraySlice<TextChange>
  ) {
    let one = version(of: group, first)
    let two = version(of: group, second)
    if second.isEmpty || one.hasSameBytes(as: two) {
      text += one
    } else if first.isEmpty {
      text += two
    } else {
      isConflict = true
      text += Self.both(one, two, separator: separator)
    }
  }

  /// What a side made of a place.
  private func version(of group: TextChange, _ changes: ArraySlice<TextChange>) -> String {
    var version = ""
    var place = group.start
    for change in changes {
      for piece in base[place..<change.start] { version += piece.text }
      for piece in change.pieces { version += piece.text }
      place = change.end
    }
    for piece in base[place..<group.end] { version += piece.text }
    return version
  }

  private mutating func append(_ pieces: ArraySlice<Key>) {
    for piece in pieces { text += piece.text }
  }

  /// Both versions of a place, parted by space.
  static func both(_ first: String, _ second: String, separator: String) -> String {
    guard let end = first.utf8.last, let start = second.utf8.first else { return first + second }
    let isParted = TextMerge.isSpaceByte(end) || TextMerge.isSpaceByte(start)
    return isParted ? first + second : first + separator + second
  }
}

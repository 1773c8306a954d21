/// One place of a base that a side changed: the pieces from ``start`` up to ``end`` became others.
struct TextChange {
  /// The first piece of the base that is gone.
  var start: Int
  /// The piece of the base that goes on behind it; equal to ``start`` for an insertion.
  var end: Int
  /// What stands there instead.
  var pieces: [Key]

  /// All places that a side changed, in order; nil where comparing them would cost too much.
  ///
  /// What both texts begin and end with is left aside. In the rest each pair of pieces is looked
  /// at once: of the longest common subsequences the one that is chosen keeps a common piece
  /// wherever it can, and otherwise leaves the base's piece out first.
  static func all(from base: TextMerge.Pieces, to side: TextMerge.Pieces) -> [TextChange]? {
    let old = base.keys
    let new = side.keys
    var head = 0
    while head < old.count, head < new.count, old[head] == new[head] { head += 1 }
    var tail = 0
    while tail < old.count - head, tail < new.count - head,
      old[old.count - 1 - tail] == new[new.count - 1 - tail]
    { tail += 1 }
    let rows = old.count - head - tail
    let columns = new.count - head - tail
    if rows == 0, columns == 0 { return [] }
    if rows == 0 || columns == 0 {
      return [
        TextChange(start: head, end: head + rows, pieces: Array(new[head..<head + columns]))
      ]
    }
    guard rows <= TextMerge.greatestComparison / columns else { return nil }
    let lengths = commonLengths(old[head..<head + rows], new[head..<head + columns])
    return changes(
      old[head..<head + rows], new[head..<head + columns], lengths, width: columns + 1)
  }

  /// For each pair of places the length of the longest common subsequence behind them.
  private static func commonLengths(_ old: ArraySlice<Key>, _ new: ArraySlice<Key>) -> [UInt16] {
    let width = new.count + 1
    // The shorter side has at most 1,024 pieces, so no length is over 16 bits.
    var lengths = [UInt16](repeating: 0, count: (old.count + 1) * width)
    for row in stride(from: old.count - 1, through: 0, by: -1) {
      for column in stride(from: new.count - 1, through: 0, by: -1) {
        let at = row * width + column
        if old[old.startIndex + row] == new[new.startIndex + column] {
          lengths[at] = lengths[at + width + 1] + 1
        } else {
          lengths[at] = max(lengths[at + width], lengths[at + 1])
        }
      }
    }
    return lengths
  }

  private static func changes(
    _ old: ArraySlice<Key>, _ new: ArraySlice<Key>, _ lengths: [UInt16], width: Int
  ) -> [TextChange] {
    var changes: [TextChange] = []
    var row = 0
    var column = 0
    var open: TextChange?
    while row < old.count || column < new.count {
      let at = row * width + column
      let isCommon =
        row < old.count && column < new.count
        && old[old.startIndex + row] == new[new.startIndex + column]
      if isCommon {
        if let change = open { changes.append(change) }
        open = nil
        row += 1
        column += 1
        continue
      }
      let place = old.startIndex + row
      var change = open ?? TextChange(start: place, end: place, pieces: [])
      if row < old.count, column == new.count || lengths[at + width] >= lengths[at + 1] {
        row += 1
        change.end += 1
      } else {
        change.pieces.append(new[new.startIndex + column])
        column += 1
      }
      open = change
    }
    if let change = open { changes.append(change) }
    return changes
  }
}

/// Three-way merge of texts by words: what each side changed of a common base, both at once.
///
/// Texts are parted into words and the space between them, compared by longest common subsequences,
/// and put together again. `Documentation/Protocol.md` has every step, so that two
/// implementations come to the same bytes. No text costs more than a fixed number of comparisons:
/// where words are too many, lines are compared, and where these are too many, both texts are
/// kept whole.
package enum TextMerge {
  /// What came out.
  package struct Outcome {
    /// The merged text.
    package var value: FieldValue
    /// Whether both sides changed one place, so that a person should look at it.
    package var isConflict: Bool
  }

  /// The most pairs of pieces that one comparison looks at.
  static let greatestComparison = 1 << 20

  /// Merges two values that were made of one.
  ///
  /// - Parameters:
  ///   - base: What both were made of; null counts as an empty text.
  ///   - mine: The operation's value.
  ///   - theirs: The current value.
  ///   - mineIsLater: Which of two versions of one place stands second.
  /// - Returns: The merged value.
  package static func merge(
    base: FieldValue, mine: FieldValue, theirs: FieldValue, mineIsLater: Bool
  ) -> Outcome {
    #if PLANTED
      if Planted.isActive(.textLastWriter) { return Outcome(value: mine, isConflict: false) }
    #endif
    if mine == theirs || mine == base { return Outcome(value: theirs, isConflict: false) }
    if theirs == base { return Outcome(value: mine, isConflict: false) }
    let later = mineIsLater ? mine : theirs
    guard let old = base.mergeText, let one = mine.mergeText, let two = theirs.mergeText else {
      return Outcome(value: later, isConflict: true)
    }
    let (text, isConflict) = merge(
      base: old, first: mineIsLater ? two : one, second: mineIsLater ? one : two)
    guard text.utf8.count <= Limits.textBytes else {
      return Outcome(value: later, isConflict: true)
    }
    return Outcome(value: .text(text), isConflict: isConflict)
  }

  private static func merge(
    base: String, first: String, second: String
  ) -> (text: String, isConflict: Bool) {
    for pieces in [words, lines] {
      let old = pieces(base)
      let one = pieces(first)
      let two = pieces(second)
      guard let left = TextChange.all(from: old, to: one),
        let right = TextChange.all(from: old, to: two)
      else { continue }
      var joining = TextJoining(base: old, separator: old.isOfLines ? "\n" : " ")
      joining.join(left, right)
      return (joining.text, joining.isConflict)
    }
    return (TextJoining.both(first, second, separator: "\n"), true)
  }

  // MARK: - Pieces

  /// A text in pieces that lie side by side.
  struct Pieces {
    var keys: [Key] = []
    var isOfLines = false
  }

  /// Runs of space, runs of what is no space, and ideographs and kana each alone.
  static func words(_ text: String) -> Pieces {
    var pieces = Pieces()
    var run: [UInt8] = []
    for byte in text.utf8 {
      // A byte within a character (80…BF) never begins a piece.
      let continues = byte & 0xC0 == 0x80
      if let first = run.first, !continues,
        isSpaceByte(byte) != isSpaceByte(first) || beginsAlone(byte) || beginsAlone(first)
      {
        pieces.keys.append(Key(String(decoding: run, as: UTF8.self)))
        run = []
      }
      run.append(byte)
    }
    if !run.isEmpty { pieces.keys.append(Key(String(decoding: run, as: UTF8.self))) }
    return pieces
  }

  /// Lines with their ends.
  static func lines(_ text: String) -> Pieces {
    var pieces = Pieces(isOfLines: true)
    var run: [UInt8] = []
    for byte in text.utf8 {
      run.append(byte)
      if byte == 0x0A {
        pieces.keys.append(Key(String(decoding: run, as: UTF8.self)))
        run = []
      }
    }
    if !run.isEmpty { pieces.keys.append(Key(String(decoding: run, as: UTF8.self))) }
    return pieces
  }

  /// Whether a byte begins a character of U+3000 to U+9FFF, which is a piece by itself.
  private static func beginsAlone(_ byte: UInt8) -> Bool { (0xE3...0xE9).contains(byte) }

  /// Space, tab, line feed, carriage return.
  static func isSpaceByte(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}

extension FieldValue {
  /// The text to merge; empty for null, nil for other kinds.
  fileprivate var mergeText: String? {
    switch self {
    case .text(let text): text
    case .null: ""
    default: nil
    }
  }
}

/// Texts that a message repeats: names of tables, fields, feeds and authors.
///
/// A page names the same few things in every record; each is made once and handed out again, found
/// by its bytes in the message.
struct WireCache {
  /// A text and where in the message its bytes stand.
  struct Slot {
    var start = 0
    var count = 0
    var text = ""
  }

  /// What names probably come next.
  var guesses = [NameGuess](repeating: NameGuess(), count: NameGuess.fields + 64)
  var slots = [Slot](repeating: Slot(), count: 64)
  /// Where the last stamp stood; nil before the first.
  var stampStart: Int?
  var stamp = Stamp.floor
  /// Where the last epoch stood; nil before the first.
  var epochStart: Int?
  var epoch = Epoch(rawValue: 0)
  /// The names that stamps stand for, of the record at hand.
  var namedStamps: [NamedStamp] = []
  /// How many fields the last record had, which the next one probably has too.
  var fieldCount = 0
}

extension JSONReader {
  /// Whether as many bytes are the same at two offsets; both ranges lie within the buffer.
  @inline(__always)
  func isSame(_ one: Int, _ other: Int, count: Int) -> Bool {
    var index = 0
    while index + 8 <= count {
      if word(one + index) != word(other + index) { return false }
      index += 8
    }
    while index < count {
      if byte(one + index) != byte(other + index) { return false }
      index += 1
    }
    return true
  }

  /// The text as a string, made once for a message that repeats it.
  mutating func interned(_ text: JSONText) -> String {
    let count = text.count
    guard text.isPlain, count > 0, count <= 128 else { return string(text) }
    let first = byte(text.start)
    let last = byte(text.end - 1)
    let middle = byte(text.start + count / 2)
    let hash = Int(first) &* 7 &+ Int(last) &* 13 &+ Int(middle) &* 29 &+ count
    let slot = hash & 63
    if cache.slots[slot].count == count, isSame(cache.slots[slot].start, text.start, count: count) {
      return cache.slots[slot].text
    }
    let made = string(text)
    cache.slots[slot] = WireCache.Slot(start: text.start, count: count, text: made)
    return made
  }

  /// The name of a table, field or feed.
  @inline(__always)
  mutating func key(_ text: JSONText) throws(JSONFault) -> Key {
    guard text.count > 0 else { throw JSONFault(.expected(.name), at: text.start - 1) }
    let name = interned(text)
    guard name.utf8.count <= WireLimit.name.value else { throw JSONFault(.name, at: text.start) }
    return Key(name)
  }

  /// Reads the name of a table or feed.
  mutating func key() throws(JSONFault) -> Key {
    guard peek() == 0x22 else { throw expected(.text) }
    return try key(try scanText())
  }

  /// Reads a text that many records repeat.
  mutating func author() throws(JSONFault) -> String {
    guard peek() == 0x22 else { throw expected(.text) }
    return interned(try scanText())
  }

  /// Reads what a request says about its sender.
  mutating func label() throws(JSONFault) -> String {
    let text = try string()
    guard text.utf8.count <= WireLimit.label.value else { throw JSONFault(.label, at: offset) }
    return text
  }
}

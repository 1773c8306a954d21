/// A member's name with its quotes and colon, as it stood earlier in the message.
///
/// Objects of one kind mostly have the same members in the same order. Comparing with what came
/// last time costs a fraction of reading the name, and a wrong guess costs little.
struct NameGuess {
  /// Where its opening quote stood.
  var start = 0
  /// How many bytes it took; zero before the first.
  var count = 0
  /// What it meant, where it names a member of a message.
  var member = WireMember.unknown
  /// The name, where it names a field.
  var key = Key("")

  /// Guesses that follow a member, and after them those of fields by their place in the record.
  static let fields = 64
}

extension JSONReader {
  /// Reads the name of the next member of an object, up to its value, or leaves the object.
  @inline(__always)
  mutating func nextName(_ members: inout JSONMembers) throws(JSONFault) -> Bool {
    guard try findName(&members) else { return false }
    members.name = try scanText()
    guard peek() == 0x3A else { throw unexpected() }
    offset += 1
    return true
  }

  /// Stands at the opening quote of the next name, or leaves the object.
  @inline(__always)
  private mutating func findName(_ members: inout JSONMembers) throws(JSONFault) -> Bool {
    var byte = peek()
    if byte == 0x7D {
      offset += 1
      depth -= 1
      if noted.count > members.firstNote { try forgetNotes(from: members.firstNote) }
      return false
    }
    if members.isFirst {
      members.isFirst = false
    } else {
      guard byte == 0x2C else { throw unexpected() }
      offset += 1
      byte = peek()
    }
    guard byte == 0x22 else { throw unexpected() }
    return true
  }

  /// Reads the name of the next member as ``nextName(_:)`` does, after a look at the guess.
  ///
  /// - Returns: Whether the guess was right; nil where the object ends.
  @inline(__always)
  private mutating func guessName(_ members: inout JSONMembers) throws(JSONFault) -> Bool? {
    guard try findName(&members) else { return nil }
    let count = cache.guesses[members.guess].count
    if count > 0, count <= end - offset,
      isSame(cache.guesses[members.guess].start, offset, count: count)
    {
      members.name = JSONText(start: offset + 1, end: offset + count - 2, isPlain: true)
      offset += count
      return true
    }
    let start = offset
    members.name = try scanText()
    guard peek() == 0x3A else { throw unexpected() }
    offset += 1
    let isPlain = members.name.isPlain && offset == members.name.end + 2
    cache.guesses[members.guess].start = start
    cache.guesses[members.guess].count = isPlain ? offset - start : 0
    return false
  }

  /// Reads the name of the next member and finds out which it is; nil where the object ends.
  @inline(__always)
  mutating func nextMember(_ members: inout JSONMembers) throws(JSONFault) -> WireMember? {
    guard let isGuessed = try guessName(&members) else { return nil }
    if !isGuessed { cache.guesses[members.guess].member = member(members.name) }
    let member = cache.guesses[members.guess].member
    members.guess = Int(member.rawValue) + 1
    if member == .unknown {
      note(members.name)
      return .unknown
    }
    guard !members.has(member) else { throw JSONFault(.duplicateName, at: members.name.start) }
    members.seen |= 1 << UInt64(member.rawValue)
    return member
  }

  /// Reads the name of the next field; nil where the fields end.
  @inline(__always)
  mutating func nextField(_ members: inout JSONMembers) throws(JSONFault) -> Key? {
    if members.guess < NameGuess.fields { members.guess = NameGuess.fields }
    guard let isGuessed = try guessName(&members) else { return nil }
    if !isGuessed { cache.guesses[members.guess].key = try key(members.name) }
    let key = cache.guesses[members.guess].key
    members.guess = min(members.guess + 1, cache.guesses.count - 1)
    return key
  }

  /// Checks that an object had a member.
  @inline(__always)
  func need(_ member: WireMember, in members: JSONMembers, at start: Int) throws(JSONFault) {
    if !members.has(member) { throw JSONFault(missing: member, at: start) }
  }

  /// The member of a name.
  private mutating func member(_ name: JSONText) -> WireMember {
    guard name.isPlain else { return escapedMember(name) }
    let count = name.count
    if count > 8 {
      return isText(name, WireMember.operations.name) ? .operations : .unknown
    }
    var word: UInt64 = 0
    if name.start + 8 <= end {
      let mask = count == 8 ? UInt64.max : (1 << UInt64(count * 8)) - 1
      word = self.word(name.start) & mask
    } else {
      for index in 0..<count { word |= UInt64(byte(name.start + index)) << UInt64(index * 8) }
    }
    let found = members.member(beginning: word)
    return found == .operations ? .unknown : found
  }

  /// Whether a name, whatever its escapes, is a literal.
  mutating func isName(_ name: JSONText, _ literal: StaticString) -> Bool {
    if name.isPlain { return isText(name, literal) }
    let bytes = decoded(name)
    return literal.withUTF8Buffer { unsafe $0.elementsEqual(bytes) }
  }

  private mutating func escapedMember(_ name: JSONText) -> WireMember {
    let bytes = decoded(name)
    for member in WireMember.allCases where member != .unknown {
      let isSame = member.name.withUTF8Buffer { unsafe $0.elementsEqual(bytes) }
      if isSame { return member }
    }
    return .unknown
  }

  /// Keeps the name of a member, so that the same name later in its object is found.
  @inline(__always)
  mutating func note(_ name: JSONText) { noted.append(name) }

  /// Refuses names of one object that come twice, whatever their escapes, and forgets them.
  private mutating func forgetNotes(from first: Int) throws(JSONFault) {
    let end = noted.count
    if end - first == 1 {
      noted.removeLast()
      return
    }
    if end - first > 8 {
      try refuseDuplicates(among: [JSONText](noted[first...]))
    } else {
      for later in first..<end {
        for earlier in first..<later where isSame(noted[later], noted[earlier]) {
          throw JSONFault(.duplicateName, at: noted[later].start)
        }
      }
    }
    for _ in first..<end { noted.removeLast() }
  }

  /// Sorts the names, so that many of them cost little.
  private mutating func refuseDuplicates(among names: [JSONText]) throws(JSONFault) {
    var sorted: [(bytes: [UInt8], start: Int)] = []
    sorted.reserveCapacity(names.count)
    for name in names { sorted.append((decoded(name), name.start)) }
    sorted.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    for index in 1..<sorted.count where sorted[index].bytes == sorted[index - 1].bytes {
      throw JSONFault(.duplicateName, at: max(sorted[index].start, sorted[index - 1].start))
    }
  }

  /// Whether two texts of the message say the same.
  mutating func isSame(_ one: JSONText, _ other: JSONText) -> Bool {
    guard one.isPlain, other.isPlain else { return decoded(one) == decoded(other) }
    return one.count == other.count && isSame(one.start, other.start, count: one.count)
  }
}

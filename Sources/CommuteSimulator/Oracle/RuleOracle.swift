/// The rules of fields as the oracle knows them.
enum OracleRule: Int, CaseIterable {
  case latest, maximum, minimum, counter, rising, set, text, serverWins, clientWins, keepBoth

  /// Whether the field holds one of the values that were written, and no more.
  var isPlain: Bool {
    switch self {
    case .latest, .maximum, .minimum, .serverWins, .clientWins: true
    case .counter, .rising, .set, .text, .keepBoth: false
    }
  }
}

/// One thing that a user did to a field.
struct RuleEdit {
  /// The edit whose value the screen showed; 0 for none, or a seed.
  var parent = 0
  /// How much a counter changed, or which number an extreme is.
  var amount = 0
  /// Additions to a set: what each is called, and its element.
  var added: [(name: Int, element: Int)] = []
  /// The additions that it removes.
  var removed: [Int] = []
  /// The edits whose values it takes the place of.
  var replaced: [Int] = []
  var isSeed = false
  /// The device on which it was written, and the commit of its file.
  var device = 0
  var version = 0
  /// Whether it was settled, or refused and shown so.
  var isAccounted = false
  /// Whether it went with a file that went back.
  var isLost = false
  /// The moment its writer gave it, as it came to the server.
  var claim = Moment.start

  /// Whether it counts, adds or removes anything.
  var isSomething: Bool { amount != 0 || !added.isEmpty || !removed.isEmpty }
}

/// What one field must hold at the server, by what was said there.
struct RuleField {
  /// The edit whose value stands; 0 for none, negative for a seed.
  var current = 0
  /// The edits that came, those included that did not win.
  var came: [Int] = []
  /// The latest claim of each writer that was settled.
  var claims: [Moment] = []
  /// The additions that came, and those that were removed.
  var added: [(name: Int, element: Int)] = []
  var removed: [Int] = []
  /// The values that stand side by side.
  var siblings: [Int] = []
  /// The words that somebody took out, and those that somebody put in.
  var wordsOut: [Int] = []
  var wordsIn: [Int] = []

  /// The elements of a set.
  var elements: [Int] {
    var elements: [Int] = []
    for addition in added where !removed.contains(addition.name) {
      if !elements.contains(addition.element) { elements.append(addition.element) }
    }
    return elements.sorted()
  }

  func hasSettled(_ claim: Moment) -> Bool {
    claims.contains { $0.writer == claim.writer && !($0 < claim) }
  }
}

/// Knows by counting and by who saw what, and without merging anything, what becomes of fields
/// with rules.
struct RuleOracle {
  /// Every edit; an edit's number is its index plus one.
  var edits: [RuleEdit] = []
  /// The edits that lost to one that their own row had held before.
  private var outlived: Set<Int> = []
  /// The fields at the server, by their numbers.
  var fields: [RuleField]
  let rules: [OracleRule]

  init(rules: [OracleRule]) {
    self.rules = rules
    fields = rules.map { _ in RuleField() }
  }

  /// Notes an edit.
  mutating func wrote(_ edit: RuleEdit) -> Int {
    edits.append(edit)
    return edits.count
  }

  /// Whether an edit's writer had seen another, directly or through others.
  func isAncestor(_ number: Int, of other: Int) -> Bool {
    var at = other
    while at > 0 {
      at = edits[at - 1].parent
      if at == number { return at > 0 }
    }
    return false
  }

  /// Whether the value that stands is one that a row held before it held this edit, or one over
  /// which that was written: a copy of the file has sent it, and the row tells nothing of it.
  func isReplaced(_ numbers: [Int], in field: Int) -> Bool {
    let current = fields[field].current
    if numbers.dropLast().contains(current) { return true }
    var at = numbers.last ?? 0
    while at > 0, at != current {
      if outlived.contains(at) { return true }
      at = edits[at - 1].parent
    }
    return false
  }

  /// An operation came to the server and was applied; gives the edit that lost by it, 0 for none.
  ///
  /// Told are the edits of one field that it carries, the last one last, a seed as a negative
  /// number; the field; the moment its writer gave; under `latest` which edit stands then; and
  /// whether it was first sent to another history of the server.
  mutating func came(
    _ numbers: [Int], to field: Int, claim: Moment, stands: Int, isOfOtherEpoch: Bool
  ) -> Int {
    guard let last = numbers.last else { return 0 }
    switch rules[field] {
    case .counter, .rising, .set:
      for number in numbers { count(number, in: field) }
      return 0
    case .keepBoth:
      // An own value that has not left gives way to the next one, with all it took the place of.
      let replaced = numbers.flatMap { $0 > 0 ? edits[$0 - 1].replaced : [] }
      standBeside(last, replaced, in: field, claim: claim)
      return 0
    case .text: return 0
    case .latest, .maximum, .minimum, .serverWins, .clientWins:
      let isReplaced = isReplaced(numbers, in: field)
      let loser = decide(
        last, in: field, claim: claim, stands: stands, isOfOtherEpoch: isOfOtherEpoch,
        isReplaced: isReplaced)
      if isReplaced, fields[field].current != last { outlived.insert(last) }
      return loser
    }
  }

  private mutating func count(_ number: Int, in field: Int) {
    if fields[field].came.contains(number) { return }
    fields[field].came.append(number)
    let edit = edits[number - 1]
    fields[field].added += edit.added.filter { new in
      !fields[field].added.contains { $0.name == new.name }
    }
    fields[field].removed += edit.removed
  }

  /// What a counter must show: everything that came, once.
  func sum(of field: RuleField) -> Int {
    var sum = 0
    var seed = 0
    for number in field.came {
      let edit = edits[number - 1]
      if edit.isSeed { seed = max(seed, edit.amount) } else { sum += edit.amount }
    }
    return sum + seed
  }

  private mutating func standBeside(
    _ number: Int, _ seen: [Int], in field: Int, claim: Moment
  ) {
    if number < 0 {
      if fields[field].siblings.isEmpty || fields[field].siblings[0] < 0 {
        fields[field].siblings = [min(number, fields[field].siblings.first ?? 0)]
      }
      return
    }
    if fields[field].hasSettled(claim) { return }
    edits[number - 1].replaced = seen
    var replaced = seen
    var at = 0
    while at < replaced.count {
      // What never came took the place of nothing; its writer had seen what was there before.
      if !fields[field].came.contains(replaced[at]) { replaced += edits[replaced[at] - 1].replaced }
      at += 1
    }
    fields[field].siblings.removeAll { $0 < 0 || replaced.contains($0) }
    fields[field].siblings.append(number)
    fields[field].came.append(number)
    fields[field].claims.append(claim)
  }

  private mutating func decide(
    _ number: Int, in field: Int, claim: Moment, stands: Int, isOfOtherEpoch: Bool,
    isReplaced: Bool
  ) -> Int {
    let current = fields[field].current
    if number < 0 {
      if current <= 0 { fields[field].current = min(number, current) }
      return 0
    }
    if current == number { return 0 }
    let again = fields[field].came.contains(number)
    edits[number - 1].claim = claim
    let mayForce = !isOfOtherEpoch && !fields[field].hasSettled(claim)
    let wins =
      current <= 0
      || self.wins(
        number, over: current, in: field, mayForce: mayForce, stands: stands,
        isReplaced: isReplaced)
    fields[field].came.append(number)
    if wins {
      fields[field].claims.append(claim)
      fields[field].current = number
    }
    // What comes again and loses has lost before; what it wins over by then has lost to it now.
    if current <= 0 || again && !wins { return 0 }
    let loser = wins ? current : number
    let kept = wins ? number : current
    // A device that writes once more knows what it wrote before.
    let first = edits[loser - 1].claim
    if first.writer == edits[kept - 1].claim.writer, first < edits[kept - 1].claim { return 0 }
    if wins && isAncestor(current, of: number) || !wins && isAncestor(number, of: current) {
      return 0
    }
    return loser
  }

  private func wins(
    _ number: Int, over current: Int, in field: Int, mayForce: Bool, stands: Int,
    isReplaced: Bool
  ) -> Bool {
    switch rules[field] {
    case .maximum: return edits[number - 1].amount > edits[current - 1].amount
    case .minimum: return edits[number - 1].amount < edits[current - 1].amount
    case .clientWins where mayForce: return true
    case .clientWins, .serverWins: return isAncestor(current, of: number) && !isReplaced
    default: return stands == number
    }
  }

  /// Where stamps alone decide, what stands is told.
  mutating func stands(_ number: Int, in field: Int) { fields[field].current = number }

  // MARK: - Two histories

  /// What a field holds that was told in two histories of the server: sums and sets of both, of two
  /// extremes the better one, of anything else the one that was settled later.
  func joined(
    _ one: RuleField, with other: RuleField, in field: Int, isLater: Bool
  ) -> RuleField {
    var both = one
    switch rules[field] {
    case .counter, .rising, .set: break
    case .maximum, .minimum:
      both.current = better(one.current, other.current, in: field)
    case .latest, .serverWins, .clientWins, .keepBoth, .text: return isLater ? other : one
    }
    both.came += other.came.filter { !one.came.contains($0) }
    both.added += other.added.filter { new in !one.added.contains { $0.name == new.name } }
    both.removed += other.removed
    both.claims += other.claims
    return both
  }

  private func better(_ one: Int, _ other: Int, in field: Int) -> Int {
    if one <= 0 || other <= 0 { return one > 0 ? one : other > 0 ? other : min(one, other) }
    let isGreater = edits[other - 1].amount > edits[one - 1].amount
    return isGreater == (rules[field] == .maximum) ? other : one
  }
}

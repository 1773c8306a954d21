import CommuteCore

/// What must be true after each operation on a record with rules.
extension RuleBook {
  /// Judges what the server made of an operation that it applied.
  ///
  /// `after` is the record then; `conflicts` are those that were written about it.
  mutating func judge(
    _ operation: CommuteCore.Operation, _ verdict: Verdict, after: RecordState?, wasDeleted: Bool,
    isOfOtherEpoch: Bool, conflicts: [ConflictEntry], isOfCopy: Bool
  ) {
    account(for: operation)
    if isReviving { judgeLife(operation, verdict, after: after) }
    // An edit of a deleted record that does not bring it back is nowhere.
    if wasDeleted, after?.deleted != nil { return }
    var losers: [Int] = []
    var again: [Int] = []
    for (field, name) in names.enumerated() {
      guard let change = operation.fields[name] else { continue }
      let numbers = numbers(of: field, in: operation)
      if rules[field] == .keepBoth { collapsed.formUnion(numbers.dropLast()) }
      let claim = Moment(change.stamp)
      let held = after?.fields[name]
      let stands = Self.edit(of: held?.value)
      again += numbers.filter { mayBeTold($0, in: field, stands: stands) }
      if rules[field] == .text { judgeText(change, numbers, claim, held?.value, field) }
      judgeSeen(numbers, in: field, stands: stands, isOfCopy: isOfCopy)
      let loser = oracle.came(
        numbers, to: field, claim: claim, stands: stands, isOfOtherEpoch: isOfOtherEpoch)
      if loser > 0, !told.contains(loser) { losers.append(loser) }
      if isLoose, rules[field].isPlain { oracle.stands(stands, in: field) }
      if isReviving {
        // What an edit of a deleted record carries with it is written anew by its writer.
        if numbers.isEmpty { carried[field] = Self.edit(of: held?.value) }
      } else {
        judgeField(field, held)
      }
    }
    if !isReviving, !isLoose {
      judgeConflicts(conflicts, losers: losers, isOfCopy: isOfCopy, again: again)
    }
  }

  /// Whether it may be told that an edit has lost although its loss is none: another copy of the
  /// file has sent it, or had it refused, and has replaced it since.
  private func mayBeTold(_ number: Int, in field: Int, stands: Int) -> Bool {
    if oracle.fields[field].came.contains(number) { return true }
    guard rules[field].isPlain, number > 0, refused.contains(number) else { return false }
    return oracle.isAncestor(number, of: stands)
  }

  /// Remembers what the fields are at a revision.
  mutating func noteRevision(_ revision: Revision?) {
    if let revision { snapshots[revision] = oracle.fields }
  }

  /// A value never loses to one that its writer had seen, but for one that it had replaced before
  /// that left: a copy of the file has sent it.
  private mutating func judgeSeen(
    _ numbers: [Int], in field: Int, stands: Int, isOfCopy: Bool
  ) {
    let number = numbers.last ?? 0
    let current = oracle.fields[field].current
    if oracle.isReplaced(numbers, in: field) { return }
    switch rules[field] {
    case .latest, .serverWins, .clientWins:
      guard number > 0, current > 0, stands == current, current != number, !isLoose, !isOfCopy,
        current != carried[field]
      else { return }
      if oracle.isAncestor(current, of: number) {
        blame(20, "edit \(number) lost to edit \(current), which its writer had seen")
      }
    case .maximum, .minimum, .counter, .rising, .set, .text, .keepBoth: return
    }
  }

  /// The field holds what the oracle expects.
  private mutating func judgeField(_ field: Int, _ held: FieldState?) {
    let expected = oracle.fields[field]
    switch rules[field] {
    case .counter where mayHideCounts, .rising where mayHideCounts: break
    case .counter, .rising:
      let sums = sums(of: field, in: expected)
      guard case .integer(let sum)? = held?.value, sums.contains(Int(sum)) else {
        let value = held.map { "\($0.value)" } ?? "nothing"
        return blame(21, "a counter holds \(value), must hold \(sums)")
      }
    case .set:
      let elements = expected.elements.map { "e\($0)" }
      if held?.value != .list(elements) {
        blame(12, "a set holds \(held.map { "\($0.value)" } ?? "nothing"), must hold \(elements)")
      }
    case .keepBoth:
      let siblings = (held?.siblings ?? []).map { Self.edit(of: $0.value) }.sorted()
      let extra = siblings.filter { !expected.siblings.contains($0) }
      // A value that its writer replaced before it left may have been sent by a copy of the file.
      let isKnown =
        expected.siblings.allSatisfy { siblings.contains($0) }
        && extra.allSatisfy { collapsed.contains($0) }
      if !isLoose, !isKnown {
        blame(12, "\(siblings) stand side by side, must be \(expected.siblings.sorted())")
      }
    case .text: break
    case .latest, .maximum, .minimum, .serverWins, .clientWins:
      let edit = Self.edit(of: held?.value)
      if isLoose {
        if edit > oracle.edits.count { blame(12, "a value comes from nowhere") }
      } else if edit != expected.current {
        let rule = rules[field]
        blame(12, "\(rule) holds edit \(edit), must hold \(expected.current)")
      }
    }
  }

  /// Every loss is told once, and nothing else is.
  ///
  /// A file that was put back sends under another id what may have been settled and replaced, or
  /// was collapsed into what was; of such a value the server cannot know who had seen it. Nor can
  /// it of one that comes again under another id because a copy of the file had sent it.
  private mutating func judgeConflicts(
    _ conflicts: [ConflictEntry], losers: [Int], isOfCopy: Bool, again: [Int]
  ) {
    var found: [Int] = []
    for conflict in conflicts where conflict.rule != "text" {
      let edit = Self.edit(of: conflict.lost)
      let isTold = told.contains(edit)
      if isTold { blame(22, "edit \(edit) is told twice to have lost") }
      let mayBeTold = isOfCopy || again.contains(edit)
      if !mayBeTold || losers.contains(edit) { found.append(edit) }
    }
    if found.sorted() != losers.sorted() {
      blame(22, "\(losers) lost to edits that had not seen them, told are \(found)")
    }
    told += losers
  }

  /// No word is lost that nobody took out, and none comes from nowhere.
  private mutating func judgeText(
    _ change: OperationField, _ numbers: [Int], _ claim: Moment, _ held: FieldValue?, _ field: Int
  ) {
    guard case .text(let text)? = held, let last = numbers.last else {
      return blame(12, "a text is no text")
    }
    let words = Self.words(text)
    let isKnown = last > 0 && oracle.fields[field].hasSettled(claim)
    if !isKnown, last > 0 {
      let old = Self.words(change.base)
      let new = Self.words(change.value)
      oracle.fields[field].wordsIn += new.filter { !old.contains($0) }
      oracle.fields[field].wordsOut += old.filter { !new.contains($0) }
      oracle.fields[field].claims.append(claim)
    }
    let count = oracle.edits.count
    for word in words where word > count {
      blame(12, "the word w\(word) comes from nowhere")
    }
    let expected = oracle.fields[field]
    for word in expected.wordsIn where word > 0 && !expected.wordsOut.contains(word) {
      if !words.contains(word) { blame(12, "the word w\(word) is lost and nobody took it out") }
    }
  }

  /// The numbers of a text's words; those of seeds are not positive.
  private static func words(_ value: FieldValue?) -> [Int] {
    guard case .text(let text)? = value else { return [] }
    return words(text)
  }

  private static func words(_ text: String) -> [Int] {
    text.split(separator: " ").map { word in
      let number = Int(word.dropFirst()) ?? 0
      return word.hasPrefix("s") ? -number : number
    }
  }

  /// The record lives if and only if an edit is later than every deletion.
  private mutating func judgeLife(
    _ operation: CommuteCore.Operation, _ verdict: Verdict, after: RecordState?
  ) {
    for entry in operation.fields.entries where !entry.value.stamp.isFloor {
      let settled = verdict.stamps[entry.name] ?? entry.value.stamp
      let moment = min(Moment(settled), Moment(entry.value.stamp))
      if latestEdit < moment { latestEdit = moment }
    }
    if let claimed = operation.deleted {
      let moment = Moment(verdict.deleted ?? claimed)
      if latestDeletion < moment { latestDeletion = moment }
    }
    let mustLive = latestDeletion == .start || latestDeletion < latestEdit
    if (after?.deleted == nil) != mustLive {
      blame(12, mustLive ? "a later edit does not revive" : "an earlier edit brings a record back")
    }
  }
}

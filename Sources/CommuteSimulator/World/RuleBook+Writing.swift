import CommuteCore

/// What users do to fields with rules, and what their devices know of them.
extension RuleBook {
  /// What a user does to a field, and how the oracle notes it.
  func draw(
    _ field: Int, shown: FieldState?, in record: DeviceRecord, _ choices: inout Choices
  ) -> (edit: FieldEdit, noted: RuleEdit)? {
    let number = oracle.edits.count + 1
    var noted = RuleEdit()
    switch rules[field] {
    case .counter, .rising:
      noted.amount = 1 + choices.draw(5)
      let falls = choices.oneIn(3)
      if falls { noted.amount = -noted.amount }
      return (.add(Int64(noted.amount)), noted)
    case .set:
      let element = choices.draw(3)
      let known = known(field, in: record)
      if known.elements.contains(element), choices.draw(3) > 0 {
        // What was removed before by what the server has told is not seen any more.
        let gone = ground(of: record)[field].removed
        noted.removed = known.added.filter { $0.element == element }.map { $0.name }
          .filter { !gone.contains($0) }
        return (.remove("e\(element)"), noted)
      }
      noted.added = [(number, element)]
      return (.insert("e\(element)"), noted)
    case .text: return (.set(.text(words(over: shown, number: number, &choices))), noted)
    case .keepBoth:
      let resolves = choices.oneIn(3)
      noted.replaced = resolves ? known(field, in: record).siblings.filter { $0 > 0 } : []
      let shows = Self.edit(of: shown?.value)
      if !resolves, shows > 0 { noted.replaced = [shows] }
      let value = FieldValue.text("v\(number)")
      return (resolves ? .resolve(value) : .set(value), noted)
    case .maximum, .minimum:
      noted.parent = max(0, Self.edit(of: shown?.value))
      noted.amount = choices.draw(40) * 1_000 + number
      return (.set(.integer(Int64(noted.amount))), noted)
    case .latest, .serverWins, .clientWins:
      noted.parent = max(0, Self.edit(of: shown?.value))
      return (.set(.text("v\(number)")), noted)
    }
  }

  /// The shown text with a word more, and perhaps one less.
  private func words(
    over shown: FieldState?, number: Int, _ choices: inout Choices
  ) -> String {
    var words: [String] = []
    if case .text(let text)? = shown?.value {
      words = text.split(separator: " ").map { String($0) }
    }
    if words.count > 1, choices.oneIn(4) { words.remove(at: choices.draw(words.count)) }
    words.insert("w\(number)", at: choices.draw(words.count + 1))
    return words.joined(separator: " ")
  }

  /// What a device knows of a field: what the server held when it last told, and its own rows.
  func known(_ field: Int, in record: DeviceRecord) -> RuleField {
    var known = ground(of: record)[field]
    for row in record.rows {
      for number in contents[row.operation.id]?[field] ?? [] where number > 0 {
        let edit = oracle.edits[number - 1]
        if !known.came.contains(number) { known.came.append(number) }
        known.added += edit.added
        known.removed += edit.removed
        known.siblings.removeAll { $0 < 0 || edit.replaced.contains($0) }
        if rules[field] == .keepBoth {
          // Of the edits of one row only the last one leaves.
          let earlier = contents[row.operation.id]?[field] ?? []
          known.siblings.removeAll { earlier.contains($0) }
          known.siblings.append(number)
        }
      }
    }
    return known
  }

  /// The values of a seed, and what is noted of them.
  mutating func seed(
    _ choices: inout Choices
  ) -> (values: FieldMap<FieldValue>, noted: [(field: Int, number: Int)]) {
    var values = FieldMap<FieldValue>()
    let version = 1 + choices.draw(2)
    var noted: [(field: Int, number: Int)] = []
    for field in rules.indices {
      switch rules[field] {
      case .counter, .rising:
        values[names[field]] = .integer(Int64(version))
        noted.append((field, oracle.wrote(RuleEdit(amount: version, isSeed: true))))
      case .set:
        values[names[field]] = .list(["e\(version)"])
        let edit = RuleEdit(added: [(-version, version)], isSeed: true)
        noted.append((field, oracle.wrote(edit)))
      case .maximum, .minimum:
        values[names[field]] = .integer(Int64(900 + version))
        noted.append((field, -version))
      case .latest, .serverWins, .clientWins, .keepBoth, .text:
        values[names[field]] = .text("s\(version)")
        noted.append((field, -version))
      }
    }
    return (values, noted)
  }

  /// What the row that was last in line carried before goes on under the new id.
  mutating func inherit(_ rows: [OutboxRow], in record: DeviceRecord, by id: OperationID) {
    guard record.rows.count == rows.count, let before = rows.last,
      record.rows.last?.operation.id == id
    else { return }
    contents[id] = contents[before.operation.id]
  }

  /// Notes that the last row of a record carries an edit.
  mutating func note(_ number: Int, in field: Int, of record: DeviceRecord) {
    guard let id = record.rows.last?.operation.id else { return }
    var content = contents[id] ?? rules.map { _ in [] }
    content[field].append(number)
    contents[id] = content
  }

  /// Sums and sets show what the device knows, its own edits included.
  mutating func checkView(_ record: DeviceRecord) {
    guard !isReviving, let view = record.view, view.deleted == nil else { return }
    let mayHide = mayHideCounts || hasShared(record)
    for field in rules.indices {
      let value = view.fields[names[field]]?.value
      switch rules[field] {
      case .counter, .rising:
        guard !mayHide, case .integer(let shown)? = value else { continue }
        let sums = sums(of: field, in: known(field, in: record))
        if !sums.contains(Int(shown)) {
          blame(5, "a counter shows \(shown) where \(sums) was counted")
        }
      case .set:
        guard case .list(let shown)? = value else { continue }
        let elements = known(field, in: record).elements.map { "e\($0)" }
        if shown != elements { blame(5, "a set shows \(shown) instead of \(elements)") }
      default: continue
      }
    }
  }

  /// Whether a device counts under an id that another has counted under, too.
  private func hasShared(_ record: DeviceRecord) -> Bool {
    record.rows.contains { row in shared.contains { row.operation.counts(under: $0) } }
  }
}

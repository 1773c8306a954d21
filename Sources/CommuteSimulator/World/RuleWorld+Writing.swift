import CommuteCore

/// What users of a world of rules do.
extension RuleWorld {
  /// A user edits a field, or makes the record.
  mutating func write(on device: Int) {
    let field = choices.draw(rules.count)
    let view = devices[device].record.view
    if view == nil, choices.oneIn(4) { return seed(on: device) }
    let shown = view?.fields[names[field]]
    guard let (edit, noted) = draw(field, shown: shown, on: device) else { return }
    let name = names[field]
    let changed = transact(on: device) { (record, id, context) throws(WriteRefusal) in
      view == nil
        ? try record.create([name: edit], operation: id, context: &context)
        : try record.change([name: edit], operation: id, context: &context)
    }
    guard let changed, changed.contains(name) else { return }
    if rules[field] == .rising, noted.amount < 0 { blame(21, "a total that only rises fell") }
    writes += 1
    let number = oracle.wrote(noted)
    tell("\(device) writes \(rules[field]) \(number): \(edit) over \(noted.parent)")
    note(number, in: field, on: device)
    checkView(device)
  }

  /// What a user does to a field, and how the oracle notes it.
  private mutating func draw(
    _ field: Int, shown: FieldState?, on device: Int
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
      let known = known(field, on: device)
      if known.elements.contains(element), choices.draw(3) > 0 {
        noted.removed = known.added.filter { $0.element == element }.map { $0.name }
        return (.remove("e\(element)"), noted)
      }
      noted.added = [(number, element)]
      return (.insert("e\(element)"), noted)
    case .text: return (.set(.text(words(over: shown, number: number))), noted)
    case .keepBoth:
      let resolves = choices.oneIn(3)
      noted.replaced = resolves ? known(field, on: device).siblings.filter { $0 > 0 } : []
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
  private mutating func words(over shown: FieldState?, number: Int) -> String {
    var words: [String] = []
    if case .text(let text)? = shown?.value {
      words = text.split(separator: " ").map { String($0) }
    }
    if words.count > 1, choices.oneIn(4) { words.remove(at: choices.draw(words.count)) }
    words.insert("w\(number)", at: choices.draw(words.count + 1))
    return words.joined(separator: " ")
  }

  /// What a device knows of a field: what the server held when it last told, and its own rows.
  func known(_ field: Int, on device: Int) -> RuleField {
    let record = devices[device].record
    var known = record.base?.revision.flatMap { snapshots[$0.number]?[field] } ?? RuleField()
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

  /// Several devices write the same without anybody having decided it.
  mutating func seed(on device: Int) {
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
    let changed = transact(on: device) { (record, id, context) throws(WriteRefusal) in
      try record.seed(values, operation: id, context: &context)
    }
    guard let changed, !changed.isEmpty else { return }
    writes += 1
    tell("\(device) seeds \(version)")
    for entry in noted where changed.contains(names[entry.field]) {
      note(entry.number, in: entry.field, on: device)
    }
    checkView(device)
  }

  mutating func delete(on device: Int) {
    let changed = transact(on: device) { (record, id, context) throws(WriteRefusal) in
      record.delete(operation: id, context: &context) ? [""] : []
    }
    if changed?.isEmpty == false { tell("\(device) deletes the record") }
  }

  /// Runs a write; nil where it was refused, which only a total that was to fall is.
  private mutating func transact(
    on device: Int,
    _ body: (inout DeviceRecord, OperationID, inout WriteContext) throws(WriteRefusal) -> [Key]
  ) -> [Key]? {
    let id = newIdentifier(choices.oneIn(12) ? Self.refused : 0)
    var record = devices[device].record
    var context = WriteContext(
      clock: devices[device].clock, wall: time + devices[device].skew, schema: 1)
    let changed: [Key]
    do throws(WriteRefusal) {
      changed = try body(&record, id, &context)
    } catch {
      guard case .cannotFall = error else {
        blame(7, "a write was refused: \(error.message)")
        return nil
      }
      return nil
    }
    // What the row carried before goes on under the new id.
    let old = devices[device].record.rows
    if record.rows.count == old.count, let before = old.last, record.rows.last?.operation.id == id {
      contents[id] = contents[before.operation.id]
    }
    for index in record.rows.indices where record.rows[index].order == 0 {
      record.rows[index].order = (old.last?.order ?? 0) + 1
    }
    devices[device].record = record
    devices[device].clock = context.clock
    return changed
  }

  /// Notes that the last row of a device carries an edit.
  private mutating func note(_ number: Int, in field: Int, on device: Int) {
    guard let id = devices[device].record.rows.last?.operation.id else { return }
    var content = contents[id] ?? rules.map { _ in [] }
    content[field].append(number)
    contents[id] = content
  }

  /// Sums and sets show what the device knows, its own edits included.
  mutating func checkView(_ device: Int) {
    guard let view = devices[device].record.view, !isReviving else { return }
    for field in rules.indices {
      let value = view.fields[names[field]]?.value
      switch rules[field] {
      case .counter, .rising:
        guard case .integer(let shown)? = value else { continue }
        let sum = oracle.sum(of: known(field, on: device))
        if Int(shown) != sum { blame(5, "a counter shows \(shown) where \(sum) was counted") }
      case .set:
        guard case .list(let shown)? = value else { continue }
        let elements = known(field, on: device).elements.map { "e\($0)" }
        if shown != elements { blame(5, "a set shows \(shown) instead of \(elements)") }
      default: continue
      }
    }
  }
}

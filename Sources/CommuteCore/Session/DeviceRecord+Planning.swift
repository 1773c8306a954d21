/// What a local edit changes, found out before anything is stamped.
struct PlannedChange {
  /// What is done.
  enum Action {
    case put(FieldValue)
    case resolve(FieldValue)
    case count(up: UInt64, down: UInt64)
    case collect(insert: [String], remove: [String])
  }

  /// The field.
  var name: Key
  /// Its rule.
  var rule: MergeRule
  /// What is done to it.
  var action: Action

  /// About how many bytes the change takes on the wire.
  var approximateSize: Int {
    let detail: Int
    switch action {
    case .put(let value), .resolve(let value): detail = value.approximateSize
    case .count: detail = 80
    case .collect(let insert, let remove):
      let added = insert.reduce(0) { $0 + $1.utf8.count + 44 }
      detail = added + remove.count * 40
    }
    return name.text.utf8.count + detail
  }
}

extension DeviceRecord {
  /// The rule of a field; local edits are refused where the server's record shows that it is
  /// another one.
  func knownRule(of name: Key) throws(WriteRefusal) -> MergeRule {
    let rule = table?.rule(of: name) ?? .latest
    if rule.keepsState { return rule }
    guard let told = ground?.fields[name], !told.merge.isEmpty else { return rule }
    throw .ruleUnknown(key, field: name)
  }

  /// What an edit changes; nil where it changes nothing.
  ///
  /// `shown` is what the view shows of the field; `isNew` says that the record is made here, with
  /// every field that is given.
  func plan(
    _ edit: FieldEdit, of name: Key, shown: FieldState?, isNew: Bool = false
  ) throws(WriteRefusal) -> PlannedChange? {
    let rule = try knownRule(of: name)
    let action: PlannedChange.Action?
    switch (rule, edit) {
    case (.counter, _), (.growOnlyCounter, _):
      action = try planCount(edit, of: name, rule: rule, shown: shown, isNew: isNew)
    case (.set, _): action = try planElements(edit, of: name, shown: shown, isNew: isNew)
    case (.keepBoth, .resolve(let value)):
      let isSettled = shown.map { $0.siblings.count == 1 && $0.value == value } ?? false
      action = isSettled ? nil : .resolve(value)
    case (.maximum, .set(let value)), (.minimum, .set(let value)):
      action = changes(shown, to: value, rule: rule) || isNew ? .put(value) : nil
    case (_, .set(let value)): action = isNew || shown?.value != value ? .put(value) : nil
    default: throw .editDoesNotFit(key, field: name, rule: rule)
    }
    return action.map { PlannedChange(name: name, rule: rule, action: $0) }
  }

  /// What a seed changes; nil where somebody wrote, or where it is there already.
  func planSeed(
    _ value: FieldValue, of name: Key, shown: FieldState?
  ) throws(WriteRefusal) -> PlannedChange? {
    let change = try plan(.set(value), of: name, shown: nil, isNew: true)
    guard let change, let shown else { return change }
    guard shown.stamp.isFloor else { return nil }
    switch change.action {
    case .put, .resolve: return shown.value < value ? change : nil
    case .count(let up, let down):
      var counter = shown.counter
      counter.raise(CounterState.seed, to: CounterTotal(up: up, down: down))
      return counter == shown.counter ? nil : change
    case .collect(let insert, _):
      let set = shown.set
      let missing = insert.filter {
        !set.knows(ElementTag.seeded(in: key, field: name, element: $0))
      }
      if missing.isEmpty { return nil }
      return PlannedChange(
        name: name, rule: change.rule, action: .collect(insert: missing, remove: []))
    }
  }

  /// Whether a value would be chosen over what shows.
  private func changes(_ shown: FieldState?, to value: FieldValue, rule: MergeRule) -> Bool {
    guard let shown else { return true }
    if shown.value == value { return false }
    let later = Stamp(time: .max, replica: ReplicaID(rawValue: .max))
    return FieldState(value: value, stamp: later).isChosen(over: shown, rule: rule)
  }

  private func planCount(
    _ edit: FieldEdit, of name: Key, rule: MergeRule, shown: FieldState?, isNew: Bool
  ) throws(WriteRefusal) -> PlannedChange.Action? {
    var amounts: (up: UInt64, down: UInt64)
    switch edit {
    case .count(let up, let down): amounts = (up, down)
    case .set(.integer(let value)):
      let before = shown?.counter.value ?? 0
      amounts = (value.excess(over: before), before.excess(over: value))
    case .set(.null) where isNew: return nil
    case .set, .elements, .resolve: throw .editDoesNotFit(key, field: name, rule: rule)
    }
    #if PLANTED
      let mayFall = Planted.isActive(.growOnlyFalls)
    #else
      let mayFall = false
    #endif
    if rule == .growOnlyCounter, amounts.down > 0, !mayFall { throw .cannotFall(key, field: name) }
    if amounts.up == 0, amounts.down == 0, !isNew { return nil }
    return .count(up: amounts.up, down: amounts.down)
  }

  private func planElements(
    _ edit: FieldEdit, of name: Key, shown: FieldState?, isNew: Bool
  ) throws(WriteRefusal) -> PlannedChange.Action? {
    let present = (shown?.set.elements ?? []).map { Key($0) }
    var insert: [Key]
    var remove: [Key]
    switch edit {
    case .elements(let inserted, let removed):
      insert = inserted.map { Key($0) }
      remove = removed.map { Key($0) }
    case .set(.list(let texts)):
      insert = texts.map { Key($0) }
      remove = present.filter { !insert.contains($0) }
    case .set(.null) where isNew: return nil
    case .set, .count, .resolve: throw .editDoesNotFit(key, field: name, rule: .set)
    }
    remove = remove.filter { present.contains($0) && !insert.contains($0) }
    insert = insert.filter { !present.contains($0) }
    insert.sort()
    var distinct: [String] = []
    for (index, element) in insert.enumerated() where index == 0 || insert[index - 1] != element {
      distinct.append(element.text)
    }
    if distinct.isEmpty, remove.isEmpty, !isNew { return nil }
    return .collect(insert: distinct, remove: remove.map { $0.text })
  }
}

extension Int64 {
  /// By how much it is greater than the other number; nothing where it is not.
  fileprivate func excess(over other: Int64) -> UInt64 {
    UInt64(bitPattern: Swift.max(self, other)) &- UInt64(bitPattern: other)
  }
}

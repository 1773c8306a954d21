/// The rules that are decided anywhere: commutative, associative, idempotent, and never going back.
extension FieldState {
  /// What two copies of a field come to under its rule.
  ///
  /// Under the rules that the server decides, as under `latest`, the later copy is the field.
  public func merged(with other: FieldState, rule: MergeRule) -> FieldState {
    switch rule {
    case .latest, .text, .serverWins, .clientWins, .keepBoth: return merged(with: other)
    case .maximum, .minimum: return other.isChosen(over: self, rule: rule) ? other : self
    case .growOnlyCounter, .counter:
      let (stamp, origin) = laterStamps(other)
      return FieldState(counter.merged(with: other.counter), stamp: stamp, origin: origin)
    case .set:
      let (stamp, origin) = laterStamps(other)
      return FieldState(set.merged(with: other.set), stamp: stamp, origin: origin)
    }
  }

  /// The later of both copies' stamps, with the origin that belongs to it.
  func laterStamps(_ other: FieldState) -> (stamp: Stamp, origin: Stamp) {
    if stamp != other.stamp {
      return stamp < other.stamp ? (other.stamp, other.origin) : (stamp, origin)
    }
    return (stamp, max(origin, other.origin))
  }

  /// Whether this field wins over another under the rule `latest`.
  ///
  /// The greater stamp wins; of equal stamps the greater canonical bytes.
  public func wins(over other: FieldState) -> Bool {
    #if PLANTED
      if Planted.isActive(.textOrderInTies), stamp == other.stamp,
        case .text(let one) = value, case .text(let two) = other.value
      {
        return two < one
      }
    #endif
    return stamp != other.stamp ? other.stamp < stamp : other.value < value
  }

  /// The later of two copies of a field.
  ///
  /// Copies that agree in stamp and value may differ in origin only where one of them was told by
  /// an older server; the greater origin stays, so that the order of merging does not matter.
  public func merged(with other: FieldState) -> FieldState {
    #if PLANTED
      if Planted.isActive(.tieKeepsMine), stamp == other.stamp { return self }
    #endif
    if other.wins(over: self) { return other }
    if wins(over: other) { return self }
    if origin != other.origin { return origin < other.origin ? other : self }
    return merge.lexicographicallyPrecedes(other.merge) ? other : self
  }
}

extension RecordState {
  /// Combines two copies of a record field by field; a deletion stands, the later of two counts.
  ///
  /// Revision and author are the server's to tell and stay those of `self`. Fields that the schema
  /// does not name, or all where there is none, merge by `latest`.
  public func merged(with other: RecordState, schema: TableSchema? = nil) -> RecordState {
    var result = self
    result.fields = fields.merged(with: other.fields, schema: schema)
    if let theirs = other.deleted {
      result.deleted = deleted.map { max($0, theirs) } ?? theirs
    }
    if schema?.rule == .editRevives { result.reviveIfEdited() }
    for entry in other.unknown.entries {
      guard let mine = result.unknown[entry.name] else {
        result.unknown[entry.name] = entry.value
        continue
      }
      if mine.lexicographicallyPrecedes(entry.value) { result.unknown[entry.name] = entry.value }
    }
    return result
  }
}

extension FieldMap where Value == FieldState {
  /// The union of two maps; a field of both is merged by its rule.
  public func merged(
    with other: FieldMap<FieldState>, schema: TableSchema? = nil
  ) -> FieldMap<FieldState> {
    if other.isEmpty { return self }
    if isEmpty { return other }
    var result = FieldMap<FieldState>()
    result.reserveCapacity(count + other.count)
    var mine = 0
    var theirs = 0
    while mine < count, theirs < other.count {
      let left = entries[mine]
      let right = other.entries[theirs]
      if left.name == right.name {
        let rule = schema?.fields[left.name]?.rule ?? .latest
        result.append(left.name, left.value.merged(with: right.value, rule: rule))
        mine += 1
        theirs += 1
      } else if left.name < right.name {
        result.append(left.name, left.value)
        mine += 1
      } else {
        result.append(right.name, right.value)
        theirs += 1
      }
    }
    while mine < count {
      result.append(entries[mine].name, entries[mine].value)
      mine += 1
    }
    while theirs < other.count {
      result.append(other.entries[theirs].name, other.entries[theirs].value)
      theirs += 1
    }
    return result
  }
}

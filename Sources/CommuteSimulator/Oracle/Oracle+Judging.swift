extension Oracle {
  /// Judges what a screen shows of a field: the device's own last edit, or something newer.
  func judgeView(
    device: Int, place: Int, content: Content?, origin: Moment
  ) -> Breach? {
    let own = latest(of: device, at: place)
    guard let content else {
      if own == 0 { return nil }
      return Breach(invariant: 5, text: "\(name(own)) is not on its own device's screen")
    }
    let shown = find(place, content, origin, of: device)
    if shown == 0 {
      return Breach(invariant: 12, text: "device \(device) shows a value that nobody wrote")
    }
    if own == 0 || own == shown { return nil }
    let isOlder =
      isAncestor(shown, of: own)
      || edits[shown - 1].isSeed
        && (!edits[own - 1].isSeed || edits[shown - 1].content < edits[own - 1].content)
    if !isOlder { return nil }
    return Breach(
      invariant: 5, text: "device \(device) shows \(name(shown)) although it wrote \(name(own))",
      limit: machines.contains(device) ? .putBack : nil)
  }

  /// Judges whether every edit is accounted for, once nothing is under way any more; some rows wait
  /// visibly for records that are not there, and some devices are down for ever.
  func judgeFates(waiting: [(device: Int, place: Int)], down: [Int] = []) -> Breach? {
    for number in 1..<edits.count + 1 {
      let edit = edits[number - 1]
      if edit.settled != nil || edit.isBuried || edit.isFailed || edit.isLost || edit.isWithdrawn {
        continue
      }
      if waiting.contains(where: { $0.device == edit.device && $0.place == edit.place }) {
        continue
      }
      // It was acknowledged, let go by its device, and went with the server's files.
      if edit.isReleased, edit.settledBefore != nil { continue }
      // It was settled in a history that is lost, and what stands now stands above it.
      if let stands = expected(at: edit.place),
        gaveWay(number, to: stands.content, stands.settled)
      {
        continue
      }
      if down.contains(edit.device) { continue }
      if !isSuperseded(number) {
        return Breach(invariant: 13, text: "\(name(number)) is neither settled nor shown as failed")
      }
    }
    return nil
  }

  /// Whether the same device wrote again at the same place.
  private func isSuperseded(_ number: Int) -> Bool {
    let edit = edits[number - 1]
    for later in edits(at: edit.place) where later > number {
      let other = edits[later - 1]
      guard other.device == edit.device else { continue }
      if other.isFailed || !other.isLost && !other.isWithdrawn { return true }
    }
    return false
  }

  /// Judges what the server holds at a place, once nothing is under way any more.
  func judgeServer(place: Int, content: Content?, stamp: Moment) -> Breach? {
    guard let expected = expected(at: place) else {
      if content == nil { return nil }
      return Breach(invariant: 12, text: "place \(place) holds a value that was never settled")
    }
    guard let content else {
      return Breach(
        invariant: 12, text: "place \(place) is empty, '\(expected.content.text)' was settled there"
      )
    }
    if content == expected.content, stamp == expected.settled { return nil }
    return Breach(
      invariant: 12,
      text: "place \(place) holds '\(content.text)', must hold '\(expected.content.text)'",
      limit: machines.contains(expected.device) ? .putBack : nil)
  }

  /// Judges whether a record is deleted exactly if somebody deleted it.
  func judgeDeletion(place: Int, isDeleted: Bool) -> Breach? {
    var wasDeleted = false
    for number in edits(at: place) where edits[number - 1].settled != nil { wasDeleted = true }
    if wasDeleted == isDeleted { return nil }
    return Breach(
      invariant: isDeleted ? 12 : 3,
      text: isDeleted
        ? "the record of place \(place) is gone and nobody deleted it"
        : "the record of place \(place) was deleted and lives")
  }
}

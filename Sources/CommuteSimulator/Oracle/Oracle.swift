/// Keeps account of what users wrote, and knows by sorting what must become of it.
///
/// It is told what happened in plain numbers and shares no code with what it judges.
struct Oracle {
  /// Every edit in the order in which it was written; an edit's number is its index plus one.
  var edits: [Edit] = []
  /// The edits of each place, newest last.
  private var history: [[Int]]
  /// The edit that is expected to stand at each place; 0 for none.
  var standing: [Int]
  /// Edits under moments that they had before they were moved; a power loss may bring these back.
  private var earlier: [(number: Int, claimed: Moment)] = []
  /// Devices whose whole machine was put back: they may give two values one moment.
  private(set) var machines: [Int] = []
  /// Devices whose file was copied to another machine, and those machines.
  var copies: [Int] = []
  /// The greatest moment of each writer that left its device.
  private var latestSent: [Moment] = []

  /// Starts with nothing written.
  init(places: Int) {
    history = Array(repeating: [], count: places)
    standing = Array(repeating: 0, count: places)
    edits.reserveCapacity(48)
  }

  /// How the edit of a number is called in reports.
  func name(_ number: Int) -> String {
    guard number > 0 else { return "nothing" }
    let edit = edits[number - 1]
    let kind = edit.isSeed ? "seed" : "edit"
    return "\(kind) \(number) '\(edit.content.text)' of device \(edit.device)"
      + " at place \(edit.place)"
  }

  // MARK: - What happened

  /// A user wrote over what the screen showed, or where it showed nothing.
  mutating func wrote(
    device: Int, place: Int, content: Content, claimed: Moment,
    seen: (content: Content, origin: Moment, stamp: Moment)?, version: Int, isSeed: Bool = false
  ) -> Breach? {
    var parent = 0
    if let seen {
      parent = find(place, seen.content, seen.origin, of: device)
      if parent == 0 {
        return Breach(invariant: 12, text: "place \(place) shows a value that nobody wrote")
      }
    }
    edits.append(
      Edit(
        device: device, place: place, content: content, parent: isSeed ? 0 : parent,
        version: version, isSeed: isSeed, claimed: claimed))
    history[place].append(edits.count)
    if isSeed { return nil }
    if let seen, !(seen.stamp < claimed) {
      return Breach(
        invariant: 4, text: "\(name(edits.count)) is stamped before what it replaces")
    }
    for sent in latestSent where sent.writer == claimed.writer && claimed.time <= sent.time {
      return Breach(
        invariant: 4, text: "\(name(edits.count)) is stamped before what its writer had sent",
        limit: machines.contains(device) ? .putBack : copies.contains(device) ? .copied : nil)
    }
    return nil
  }

  /// Whether a whole machine was put back to an earlier state.
  var isAnyMachinePutBack: Bool { !machines.isEmpty }

  /// An edit that waited was given a later moment.
  mutating func moved(
    device: Int, _ place: Int, _ content: Content, from old: Moment, to new: Moment
  ) {
    let number = find(place, content, old, of: device)
    guard number > 0 else { return }
    earlier.append((number, edits[number - 1].claimed))
    edits[number - 1].claimed = new
  }

  /// An edit was sent.
  mutating func sent(
    device: Int, _ place: Int, _ content: Content, _ claimed: Moment, version: Int
  ) {
    let number = find(place, content, claimed, of: device)
    // What a copy of the file sends says nothing about the file it was made of.
    if number > 0, edits[number - 1].device == device, edits[number - 1].sentAt == nil {
      edits[number - 1].sentAt = version
    }
    if claimed == .start { return }
    for index in latestSent.indices where latestSent[index].writer == claimed.writer {
      latestSent[index].time = max(latestSent[index].time, claimed.time)
      return
    }
    latestSent.append(claimed)
  }

  /// The server settled an edit.
  mutating func settled(
    device: Int, _ place: Int, _ content: Content, claimed: Moment, as moment: Moment
  ) -> Breach? {
    let number = find(place, content, claimed, of: device)
    guard number > 0 else {
      return Breach(invariant: 12, text: "a value came to place \(place) that nobody wrote")
    }
    if let before = edits[number - 1].settled, !(before < moment) { return nil }
    edits[number - 1].settled = moment
    let rival = standing[place]
    if rival == number { return nil }
    if rival == 0 || precedes(rival, number) {
      standing[place] = number
      if rival > 0, isAncestor(number, of: rival) { return lost(rival, to: number) }
    } else if isAncestor(rival, of: number) {
      return lost(number, to: rival)
    }
    return nil
  }

  private func lost(_ number: Int, to other: Int) -> Breach {
    Breach(
      invariant: 20, text: "\(name(number)) lost to \(name(other)), which its writer had seen",
      limit: isOfCopies(number, other)
        ? .copied : isOfLostAnswer(other) ? .lostAnswer : limit(of: number))
  }

  /// Whether a lost history of the server had settled an edit under another moment.
  private func isOfLostAnswer(_ number: Int) -> Bool {
    let edit = edits[number - 1]
    guard let before = edit.settledBefore, before != edit.settled else { return false }
    return before != edit.claimed
  }

  /// Whether an edit went with a file that was put back, or is of a machine that was.
  private func limit(of number: Int) -> KnownLimit? {
    edits[number - 1].isLost || machines.contains(edits[number - 1].device) ? .putBack : nil
  }

  /// Whether two edits are of a file that was copied while its clock was ahead.
  private func isOfCopies(_ one: Int, _ other: Int) -> Bool {
    let pair = [edits[one - 1], edits[other - 1]]
    return pair.contains { copies.contains($0.device) }
      && pair.contains { $0.settled != nil && $0.settled != $0.claimed }
  }

  /// The server told that an edit came to a deleted record.
  mutating func buried(device: Int, _ place: Int, _ content: Content, claimed: Moment) {
    let number = find(place, content, claimed, of: device)
    if number > 0 { edits[number - 1].isBuried = true }
  }

  /// An edit was refused and shown as such; what was collapsed into it is shown with it.
  mutating func failed(device: Int, _ place: Int, _ content: Content, claimed: Moment) {
    let number = find(place, content, claimed, of: device)
    guard number > 0 else { return }
    edits[number - 1].isFailed = true
    for earlier in history[place] where earlier < number {
      let edit = edits[earlier - 1]
      let isOpen = edit.settled == nil || copies.contains(device)
      if edit.device == device, !edit.hasLeft, isOpen {
        edits[earlier - 1].isFailed = true
      }
    }
  }

  /// A user took back what had not left.
  mutating func withdrew(device: Int, _ place: Int, version: Int) {
    let number = latest(of: device, at: place)
    if number > 0 { edits[number - 1].withdrawnAt = version }
  }

  /// A device's file went back to an earlier commit.
  ///
  /// Where it was a power loss, what had left must still be there.
  mutating func wentBack(device: Int, to version: Int, isPowerLoss: Bool) -> Breach? {
    var breach: Breach?
    for index in edits.indices {
      guard edits[index].device == device else { continue }
      if let taken = edits[index].withdrawnAt, taken > version { edits[index].withdrawnAt = nil }
      if edits[index].version > version, !edits[index].isLost {
        edits[index].isLost = true
        if isPowerLoss, edits[index].hasLeft {
          breach = Breach(
            invariant: 13, text: "\(name(index + 1)) had left the device and was not durable there")
        }
      }
      if let sent = edits[index].sentAt, sent > version { edits[index].sentAt = nil }
    }
    return breach
  }

  /// A machine was put back with everything that is kept on it: until the server tells, its writer
  /// cannot know what had left it before.
  mutating func putBackMachine(of device: Int, writer: UInt64) {
    machines.append(device)
    latestSent.removeAll { $0.writer == writer }
  }

  // MARK: - Questions

  /// The edit of a value and the moment its writer gave; 0 for none.
  ///
  /// Devices put the same seeds; of these the one of `device` is meant, where it put one, or of the
  /// device that its file was copied from.
  func find(_ place: Int, _ content: Content, _ claimed: Moment, of device: Int) -> Int {
    var other = 0
    var source = (number: 0, distance: Int.max)
    for number in history[place].reversed() {
      let edit = edits[number - 1]
      guard edit.claimed == claimed, edit.content == content else { continue }
      if edit.device == device && !edit.isLost { return number }
      if other == 0 { other = number }
      guard !edit.isLost, let distance = distance(from: edit.device, to: device) else { continue }
      if distance < source.distance { source = (number, distance) }
    }
    if source.number > 0 { return source.number }
    if other > 0 { return other }
    for entry in earlier.reversed() where entry.claimed == claimed {
      let edit = edits[entry.number - 1]
      if edit.place == place, edit.content == content { return entry.number }
    }
    return 0
  }

  /// How many copies lie between two devices' files; nil where neither was made of the other.
  private func distance(from source: Int, to device: Int) -> Int? {
    var at = device
    var distance = 0
    for index in stride(from: copies.count - 2, through: 0, by: -2) where copies[index + 1] == at {
      at = copies[index]
      distance += 1
      if at == source { return distance }
    }
    return nil
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

  /// Whether of two settled edits the second stands.
  private func precedes(_ one: Int, _ other: Int) -> Bool {
    let left = edits[one - 1]
    let right = edits[other - 1]
    guard let first = left.settled, let second = right.settled else { return false }
    if first != second { return first < second }
    if left.claimed.writer == right.claimed.writer, left.claimed != right.claimed {
      return left.claimed < right.claimed
    }
    return left.content < right.content
  }

  /// The newest edit of a device at a place that still counts; 0 for none.
  func latest(of device: Int, at place: Int) -> Int {
    for number in history[place].reversed() {
      let edit = edits[number - 1]
      guard edit.device == device, !edit.isLost, !edit.isFailed, !edit.isWithdrawn,
        !edit.isReleased
      else { continue }
      return number
    }
    return 0
  }

  /// The edits of a place, newest last.
  func edits(at place: Int) -> [Int] { history[place] }

  /// What must stand at a place: the content and the moment under which it was settled.
  func expected(at place: Int) -> (content: Content, settled: Moment, device: Int)? {
    var last = 0
    for number in history[place] where edits[number - 1].settled != nil {
      if last == 0 || precedes(last, number) { last = number }
    }
    guard last > 0, let settled = edits[last - 1].settled else { return nil }
    return (edits[last - 1].content, settled, edits[last - 1].device)
  }
}

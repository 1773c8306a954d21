/// What the oracle is told of servers that go back and devices that let go.
extension Oracle {
  /// What was settled at some time.
  struct Marks {
    fileprivate var settled: [Moment?]
    fileprivate var standing: [Int]
  }

  /// What is settled now.
  var marks: Marks { Marks(settled: edits.map { $0.settled }, standing: standing) }

  /// The server's files were put back: what was settled since is not settled any more.
  mutating func serverWentBack(to marks: Marks) {
    for index in edits.indices {
      let settled = index < marks.settled.count ? marks.settled[index] : nil
      if let lost = edits[index].settled, lost != settled {
        edits[index].settledBefore = max(edits[index].settledBefore ?? lost, lost)
      }
      edits[index].settled = settled
    }
    standing = marks.standing
  }

  /// A device offered what a lost history of the server had settled, and it was taken.
  mutating func settledAgain(
    device: Int, _ place: Int, _ content: Content, origin: Moment, as moment: Moment
  ) -> Breach? {
    let breach = settled(device: device, place, content, claimed: origin, as: moment)
    accounted(place, until: moment, content, isFailed: false)
    return breach
  }

  /// Whatever a lost history had settled at a place up to a moment has come to what it came to: it
  /// lost to what was offered, or is shown as refused with it.
  mutating func accounted(
    _ place: Int, until moment: Moment, _ content: Content, isFailed: Bool
  ) {
    for number in edits(at: place) where edits[number - 1].settled == nil {
      guard gaveWay(number, to: content, moment) else { continue }
      let before = edits[number - 1].settledBefore
      if isFailed {
        edits[number - 1].isFailed = true
      } else {
        edits[number - 1].settled = before
      }
    }
  }

  /// Whether what a lost history had settled of an edit comes before what stands at its place.
  ///
  /// An earlier claim of a writer is told the moment of the later one.
  func gaveWay(_ number: Int, to content: Content, _ moment: Moment) -> Bool {
    let edit = edits[number - 1]
    guard let before = edit.settledBefore else { return false }
    if before != moment { return before < moment }
    return !(content < edit.content)
      || edits(at: edit.place).map { edits[$0 - 1] }.contains {
        $0.content == content && $0.claimed.writer == edit.claimed.writer
          && edit.claimed < $0.claimed
      }
  }

  /// A device holds no longer what it was told of a place.
  mutating func released(device: Int, _ place: Int) {
    for number in edits(at: place) where edits[number - 1].device == device {
      edits[number - 1].isReleased = true
    }
  }

  /// The file of a device was copied to another machine.
  mutating func copied(device: Int, to other: Int) {
    copies += [device, other]
  }
}

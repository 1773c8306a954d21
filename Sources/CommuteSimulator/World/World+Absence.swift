import CommuteCore

/// What happens to a server over months: it is put back, purges, takes grants away.
extension World {
  /// How long the server keeps tombstones and memories: 90 days.
  static let retention = Purge.defaultRetention

  // MARK: - Put back

  /// The server's files are copied; later the copy takes their place, under a new epoch.
  mutating func copyOrRestoreServer() {
    guard let copy = server.copy, choices.draw(3) > 0 else {
      tell("the server is copied")
      server.copy = SimulatedServer.Copy(
        state: server.state, notes: server.notes, marks: oracle.marks, book: book?.marks)
      return
    }
    count(.restoredServer)
    epochs += 1
    server.state = copy.state
    server.notes = copy.notes
    ended.append((server.state.epoch, time))
    server.state.begin(
      Epoch(rawValue: 0xE1 + epochs), replica: newReplica(), ended: time)
    oracle.serverWentBack(to: copy.marks)
    if let marks = copy.book { book?.serverWentBack(to: marks) }
    for number in roster.keys.indices { server.readAgain(number, in: roster) }
    tell("the server is put back; it begins epoch \(server.state.epoch.rawValue)")
  }

  // MARK: - Long time

  /// Three months pass; some devices stay in touch, and the server purges.
  mutating func letLongTimePass() {
    count(.longAbsence)
    let stays = choices.draw(1 << devices.count)
    time += Self.retention + Int64(1 + choices.draw(86_400_000))
    // A backup older than the retention time is not restored.
    server.copy = nil
    // Nothing is under way for months.
    network.removeAll()
    tell("three months pass; in touch stay \(devices.indices.filter { stays >> $0 & 1 == 1 })")
    for number in devices.indices where stays >> number & 1 == 1 { keepInTouch(number) }
    let before = server.state
    let purge = Purge(time: time, devices: server.notes.progress)
    let changedAt = server.notes.changedAt
    server.state.purge(purge) {
      $0.table == ConflictEntry.table ? time : changedAt[Stage.number(of: $0)]
    }
    if !before.stubs.isSuperset(of: server.state.stubs) { reach(.purged) }
    server.notes.hasForgotten = server.notes.hasForgotten || !server.state.retired.isEmpty
    for number in roster.keys.indices { server.readAgain(number, in: roster) }
    if let item = server.held[Stage.item] {
      book?.forgetRemovals(before: before.records[roster.keys[Stage.item]]?.state, after: item)
    }
    book?.noteRevision(server.held[Stage.item]?.revision)
    checkPurge(since: before)
  }

  /// A device has been asking all the time, and told how far it had read.
  private mutating func keepInTouch(_ number: Int) {
    let device = devices[number].file.device
    let replicas = [device.replica] + device.earlierReplicas
    for index in server.notes.progress.indices
    where replicas.contains(server.notes.progress[index].replica) {
      server.notes.progress[index].seenAt = time
      guard device.epoch == server.state.epoch else { continue }
      for entry in device.feeds.entries where entry.value.reset == nil {
        server.notes.progress[index].cursors[entry.name] = .some(entry.value.cursor)
      }
    }
  }

  /// Notes how far a device has come, with its earlier ids as one.
  mutating func noteProgress(of request: SyncRequest) {
    var cursors = FieldMap<UInt64?>()
    for part in request.feeds {
      let isReading = part.reset == nil && request.epoch == server.state.epoch
      cursors[part.feed] = .some(isReading ? part.cursor : nil)
    }
    for replica in [request.replica] + request.replicas {
      let note = Purge.Progress(replica: replica, seenAt: time, cursors: cursors)
      if let index = server.notes.progress.firstIndex(where: { $0.replica == replica }) {
        server.notes.progress[index] = note
      } else if replica == request.replica {
        server.notes.progress.append(note)
      }
    }
  }

  /// Nobody who was in touch is left behind a fence or retired, and no fixed id is forgotten.
  private mutating func checkPurge(since before: ServerState) {
    for note in server.notes.progress where time - note.seenAt <= Self.retention {
      if server.state.retired.contains(note.replica), !before.retired.contains(note.replica) {
        blame(13, "a replica that was in touch is retired")
      }
      for feed in stage.feeds {
        guard let noted = note.cursors[feed], let cursor = noted,
          let fence = server.state.heads[feed]?.fence,
          cursor >= before.heads[feed]?.fence ?? 0
        else { continue }
        if cursor < fence { blame(2, "a device that was in touch is behind the fence") }
      }
    }
    for key in server.state.stubs where !key.isForOnce {
      let record = number(of: key)
      blame(3, "the tombstone of record \(record), which has a fixed id, is purged")
    }
  }

  /// Only what was written by somebody who was away for long may expire.
  mutating func checkExpiry(of operation: Operation) {
    if !server.state.retired.contains(operation.replica) {
      blame(13, "an operation expired whose writer was in touch")
    }
  }

  /// Nothing is taken from a history that ended longer ago than tombstones are kept.
  mutating func checkInTime(_ offer: SyncRequest.Offer) {
    for end in ended where end.epoch == offer.record.state.revision?.epoch {
      if time - end.time > Self.retention {
        blame(3, "a record was taken from a history that ended long ago")
      }
    }
  }

  // MARK: - Grants

  /// Makes the heads say what a user may read.
  mutating func grant(to user: String) {
    for (index, feed) in stage.feeds.enumerated() {
      let grant = server.notes.grants[user == "ada" ? 0 : 1][index]
      server.state.heads[feed, default: FeedHead()].grant = grant.number
      server.state.heads[feed]?.revoked = grant.isRevoked ? "it is no longer shared" : nil
    }
  }

  /// A feed is taken from a user, or given again under a new number.
  mutating func changeGrant(_ feed: Int, of user: Int) {
    if server.notes.grants[user][feed].isRevoked {
      count(.newGrant)
      server.notes.grants[user][feed].isRevoked = false
      server.notes.grants[user][feed].number += 1
      tell("user \(user) is given feed \(feed) again")
      for number in devices.indices where number % 2 == user { subscribe(number) }
    } else {
      count(.revocation)
      server.notes.grants[user][feed].isRevoked = true
      // Whoever was not there in between sees only another number.
      if choices.draw(2) == 1 { changeGrant(feed, of: user) }
      tell("user \(user) has lost feed \(feed)")
    }
  }

  /// An app subscribes to everything it may read.
  mutating func subscribe(_ number: Int) {
    for (index, feed) in stage.feeds.enumerated() {
      guard !server.notes.grants[userNumber(of: number)][index].isRevoked,
        devices[number].file.device.feeds[feed] == nil
      else { continue }
      devices[number].begin()
      devices[number].withDevice { $0.feeds[feed] = FeedState() }
      devices[number].commit(full: true)
    }
  }

  /// Which of the two users has a device.
  func userNumber(of device: Int) -> Int { devices[device].user == "ada" ? 0 : 1 }

  /// Whether a device's user may read a feed.
  func mayRead(_ feed: Key, _ device: Int) -> Bool {
    !server.notes.grants[userNumber(of: device)][stage.number(of: feed)].isRevoked
  }

  // MARK: - Copies

  /// A closed file is copied to another machine, where it lives on under an id of its own.
  mutating func clone(_ number: Int) {
    guard devices.count < Self.deviceLimit else { return }
    count(.clonedFile)
    devices[number].begin()
    devices[number].commit(full: true)
    let clone = devices.count
    devices.append(
      SimulatedDevice(
        file: devices[number].file, host: nil, isCareful: devices[number].isCareful,
        user: devices[number].user))
    devices[clone].skew = devices[number].skew
    devices[clone].isOld = devices[number].isOld
    devices[clone].readsOn = devices[number].readsOn
    memory.append(DeviceMemory())
    oracle.copied(device: number, to: clone)
    tell("device \(number) is cloned to device \(clone)")
    open(number, bootChanged: false, cleanEnd: true)
    open(clone, bootChanged: false, cleanEnd: true)
  }

  private static let deviceLimit = 5
}

extension ServerState {
  /// Begins another epoch after this state was put back in place of a later one.
  mutating func begin(_ epoch: Epoch, replica: ReplicaID, ended: Int64) {
    var heads = FieldMap<UInt64>()
    for (feed, head) in self.heads { heads[feed] = head.head }
    ancestry.append(SyncAnswer.Ancestor(epoch: self.epoch, ended: ended, heads: heads))
    self.epoch = epoch
    clock.replica = replica
  }
}

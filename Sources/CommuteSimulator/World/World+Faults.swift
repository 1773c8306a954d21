import CommuteCore

extension World {
  // MARK: - The network

  /// A parcel arrives; mostly the oldest.
  mutating func deliver() {
    guard !network.isEmpty else { return nudge(choices.draw(devices.count)) }
    var index = 0
    if mayReorder, choices.oneIn(4) { index = choices.draw(network.count) }
    if index > 0 { count(.reordering) }
    let parcel = network.remove(at: index)
    switch parcel.load {
    case .request, .requestBytes: serve(parcel)
    case .answer, .answerBytes, .failure: receive(parcel)
    }
  }

  /// A parcel is lost.
  mutating func lose() {
    guard !network.isEmpty else { return deliver() }
    let parcel = network.remove(at: choices.draw(network.count))
    count(.loss)
    tell("a parcel of device \(parcel.device) is lost")
  }

  /// A parcel arrives twice.
  mutating func duplicate() {
    guard !network.isEmpty else { return deliver() }
    let index = choices.draw(network.count)
    network[index].copies += 1
    network.append(network[index])
    count(.duplication)
  }

  /// A parcel is spoilt; only bytes can be.
  mutating func garble() {
    guard usesCodec, !network.isEmpty else { return deliver() }
    let index = choices.draw(network.count)
    switch network[index].load {
    case .requestBytes(var bytes):
      spoil(&bytes)
      network[index].load = .requestBytes(bytes)
    case .answerBytes(var bytes):
      spoil(&bytes)
      network[index].load = .answerBytes(bytes)
    case .request, .answer, .failure: return
    }
    count(.garbledMessage)
  }

  /// Cuts a message off: whatever is left is not a message.
  private mutating func spoil(_ bytes: inout [UInt8]) {
    if !bytes.isEmpty { bytes.removeLast(1 + choices.draw(bytes.count)) }
  }

  /// Reads a request; one that cannot be read is refused and settles nothing.
  mutating func read(_ parcel: Parcel) -> SyncRequest? {
    switch parcel.load {
    case .request(let request): return request
    case .requestBytes(let bytes):
      do throws(WireError) {
        return try SyncRequest(decoding: bytes)
      } catch {
        // What is cut off on the way looks like a closed connection, not like a bad client.
        network.append(
          Parcel(
            device: parcel.device, process: parcel.process,
            load: .failure(.notAnAnswer(error.message))))
        return nil
      }
    case .answer, .answerBytes, .failure: return nil
    }
  }

  /// Puts an answer on its way.
  mutating func send(_ answer: SyncAnswer, to device: Int, process: Int) {
    let load: Parcel.Load = usesCodec ? .answerBytes(answer.encoded()) : .answer(answer)
    network.append(Parcel(device: device, process: process, load: load))
  }

  // MARK: - The server

  /// The server starts anew: what was under way is lost, what was committed is there.
  mutating func restartServer() {
    count(.serverRestart)
    tell("the server restarts")
    network.removeAll()
  }

  /// Whether a request meets trouble, and which.
  mutating func drawTrouble() -> RoundFailure? {
    guard serverTrouble > 0 else { return nil }
    serverTrouble -= 1
    count(.serverTrouble)
    switch choices.draw(8) {
    case 0, 1: return RoundFailure(status: 503, retryAfterMilliseconds: 2_000)
    case 2: return RoundFailure(status: 500)
    case 3: return RoundFailure(status: 413)
    case 4: return RoundFailure(status: 401)
    case 5: return RoundFailure(status: 426)
    case 6: return RoundFailure(status: 302)
    default: return .notAnAnswer("a page to sign in to the network")
    }
  }

  /// An answer that this version cannot act on, with content that would do harm if it did.
  mutating func strangeAnswer(to request: SyncRequest) -> SyncAnswer {
    strangeAnswers -= 1
    count(.strangeAnswer)
    var answer = SyncAnswer(
      epoch: server.state.epoch, time: time, nonce: request.nonce,
      verdicts: request.operations.map {
        Verdict(
          id: $0.operation.id, kind: .applied, revision: Revision(epoch: strangeEpoch, number: 1))
      },
      feeds: request.feeds.map {
        SyncAnswer.Feed(feed: $0.feed, grant: 1, cursor: ($0.cursor ?? 0) + 3)
      })
    // What answers once under another epoch is not asked again under it.
    switch request.epoch == strangeEpoch ? 2 : choices.draw(4) {
    case 0, 1: answer.epoch = strangeEpoch
    case 2: answer.protocolVersion = ProtocolVersion.current + 8
    default:
      // A server that was restored and does not know it.
      guard let first = request.feeds.first, let read = first.cursor, read > 0,
        first.reset == nil, request.epoch == server.state.epoch
      else {
        answer.epoch = strangeEpoch
        break
      }
      answer.feeds[0].cursor = read - 1
    }
    tell("a strange answer for device \(request.replica.text)")
    return answer
  }

  private var strangeEpoch: Epoch { Epoch(rawValue: 0xBAD) }

  // MARK: - Devices

  /// A process dies.
  mutating func kill(_ number: Int) {
    count(.kill)
    tell("device \(number) is killed")
    // The store may have brought another version of the app meanwhile.
    if devices[number].isOld, choices.draw(2) == 1 { devices[number].isOld = false }
    open(number, bootChanged: false, cleanEnd: false)
  }

  /// Whether a process dies just here, between two things that must both happen.
  mutating func diesHere(_ number: Int) -> Bool {
    guard mayDieBetween, choices.oneIn(16) else { return false }
    count(.killBetweenCommits)
    tell("device \(number) is killed in the middle of a round")
    open(number, bootChanged: false, cleanEnd: false)
    return true
  }

  /// A device loses its power, and with it a drawn part of what is not durable.
  mutating func losePower(_ number: Int) {
    count(.powerLoss)
    let commits = choices.draw(devices[number].unsafeCommits + 1)
    let version = devices[number].losePower(commits: commits)
    tell("device \(number) loses power and \(commits) commits")
    blame(oracle.wentBack(device: number, to: version, isPowerLoss: true))
    book?.wentBack(device: number, to: version)
    forget(number)
    open(number, bootChanged: true, cleanEnd: false)
  }

  /// A closed file is copied, or a running machine with all that is kept on it; later the copy
  /// takes the place of what it was made of.
  mutating func copyOrRestore(_ number: Int, wholeMachine: Bool) {
    guard let copy = devices[number].copy else {
      tell("device \(number) is copied\(wholeMachine ? " as it runs" : "")")
      devices[number].begin()
      devices[number].commit(full: true)
      devices[number].copy = SimulatedDevice.Copy(
        file: devices[number].file, host: devices[number].host, isWholeMachine: wholeMachine)
      if !wholeMachine { open(number, bootChanged: false, cleanEnd: true) }
      return
    }
    devices[number].copy = nil
    count(copy.isWholeMachine ? .restoredMachine : .restoredFile)
    tell("device \(number) goes back to commit \(copy.file.version)")
    blame(oracle.wentBack(device: number, to: copy.file.version, isPowerLoss: false))
    book?.wentBack(device: number, to: copy.file.version)
    devices[number].replaceFile(with: copy.file, in: roster)
    if copy.isWholeMachine {
      devices[number].host = copy.host
      oracle.putBackMachine(of: number, writer: copy.file.device.replica.rawValue)
      book?.isLoose = true
    }
    forget(number)
    open(
      number, bootChanged: !copy.isWholeMachine && choices.draw(2) == 1,
      cleanEnd: !copy.isWholeMachine)
    if devices[number].file.device.replica == copy.file.device.replica { notePutBack(number) }
  }

  /// What is kept outside the file is lost.
  mutating func loseHostRecord(_ number: Int) {
    count(.lostHostRecord)
    tell("the host record of device \(number) is lost")
    devices[number].host = nil
    open(number, bootChanged: false, cleanEnd: false)
  }

  /// A wall clock is set to another time.
  mutating func jumpClock(_ number: Int) {
    count(.clockJump)
    switch hasWildClocks ? 6 + choices.draw(4) : choices.draw(10) {
    case 0, 1, 2: devices[number].skew = Int64(choices.draw(360)) * 1_000 - 180_000
    case 3, 4, 5: devices[number].skew = Int64(choices.draw(7_200)) * 1_000 - 3_600_000
    case 6, 7: devices[number].skew = 0
    case 8: devices[number].skew = -time
    default: devices[number].skew = 315_360_000_000
    }
    tell("the wall clock of device \(number) is off by \(devices[number].skew) ms")
  }

  /// A network goes or comes back.
  mutating func switchNetwork(_ number: Int) {
    devices[number].isOnline.toggle()
    if devices[number].isOnline {
      report(.cameOnline, on: number)
    } else {
      count(.offline)
      tell("device \(number) goes offline")
    }
  }

  /// A new process opens the file, and takes a new replica id where it must.
  mutating func open(_ number: Int, bootChanged: Bool, cleanEnd: Bool) {
    devices[number].process += 1
    #if PLANTED
      if Planted.isActive(.clockNotSaved) {
        devices[number].withDevice { device in
          device.clock = HybridClock(replica: device.replica, offset: device.clock.measuredOffset)
        }
      }
    #endif
    devices[number].sentRecords = []
    devices[number].conversation = Conversation()
    devices[number].retryAt = nil
    let reason = devices[number].file.device.renewalReason(
      host: devices[number].host, bootChanged: bootChanged, cleanEnd: cleanEnd)
    guard let reason else { return }
    let replica = newReplica()
    devices[number].begin()
    devices[number].withDevice { $0.renewReplica(to: replica) }
    devices[number].commit(full: true)
    devices[number].host = HostRecord(replica: replica, number: 0)
    reach(.renewedAtOpen)
    tell("device \(number) takes a new replica id: \(reason.message)")
  }

  /// A file that went back may know less than before.
  mutating func forget(_ number: Int) {
    memory[number] = DeviceMemory()
  }
}

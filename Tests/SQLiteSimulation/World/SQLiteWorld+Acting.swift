import CommuteCore
import CommuteSQLite
import CommuteStore
import Synchronization

/// The edits that a transaction has made, if it was carried out.
final class Made: Sendable {
  private let box = Mutex<[Edit]>([])

  var edits: [Edit] { box.withLock { $0 } }

  func set(_ edits: [Edit]) { box.withLock { $0 = edits } }
}

/// What a device does while its disk fails.
extension SQLiteWorld {
  /// A fault for the next action of a device.
  private func drawFault(for device: RealDevice) -> DrawnFault? {
    if isCalm { return nil }
    if device.fullFor > 0 {
      device.fullFor -= 1
      return DrawnFault(kind: .fullDisk, operation: 0, seed: 0)
    }
    guard oneIn(faultsOneIn) else { return nil }
    let kinds: [FaultKind] = [.error, .error, .error, .fullDisk, .kill, .kill, .power, .torn]
    let kind = kinds[draw(kinds.count)]
    return DrawnFault(kind: kind, operation: draw(24), seed: drawSeed())
  }

  /// Lets a device do something, perhaps with a fault in the middle of it.
  ///
  /// `durable` says whether what was done survives a loss of power once it returned; `made` gets
  /// the edits that it makes. Gives what the action gave, or nil where it was not carried out.
  @discardableResult
  func act<Result>(
    _ device: RealDevice, _ what: String, made: Made? = nil,
    durable: (Result) -> Bool = { _ in false }, _ body: (Store) async throws -> Result
  ) async throws -> Result? {
    guard let store = device.store else { return nil }
    let fault = drawFault(for: device)
    setClock(of: device)
    if let fault { fault.arm() } else { FaultLayer.count() }
    var result: Result?
    var failure: (any Error)?
    do {
      result = try await body(store)
    } catch {
      failure = error
    }
    let hasHappened = fault != nil && FaultLayer.hasHappened
    if let fault, hasHappened { count(fault.kind) }
    if fault?.kind.endsProcess != true { FaultLayer.disarm() }
    let cause = hasHappened ? fault.map { " under \($0.kind.name)" } ?? "" : ""
    tell("\(device.number) \(what)\(cause)\(failure.map { ", which fails: \($0)" } ?? "")")
    if let result {
      let edits = made?.edits ?? []
      if !edits.isEmpty {
        device.commits += 1
        ledger.wrote(edits, device: device.number, commit: device.commits)
        report.writes += 1
      }
      try took(device, durable: durable(result))
    }
    if let fault, fault.kind.endsProcess {
      try await end(device, fault, hasHappened: hasHappened, failure, made)
      return result
    }
    if let failure { try checkFailure(device, what, failure, isExpected: hasHappened) }
    return result
  }

  /// The process ends here, in the middle of the action or behind it.
  private func end(
    _ device: RealDevice, _ fault: DrawnFault, hasHappened: Bool, _ failure: (any Error)?,
    _ made: Made?
  ) async throws {
    if let failure, !hasHappened { try checkFailure(device, "acts", failure, isExpected: false) }
    let isUnderWay = hasHappened && failure.map(Self.leavesOpen) == true
    var touched: Set<Int>?
    if isUnderWay, let edits = made?.edits {
      device.commits += 1
      ledger.wrote(edits, device: device.number, commit: device.commits, fate: .open)
      touched = Set(edits.map(\.record))
    }
    if !hasHappened { count(fault.kind) }
    try await die(device, fault.kind, seed: fault.seed, isUnderWay: isUnderWay, touched: touched)
  }

  /// Whether an error does not say that nothing was written.
  private static func leavesOpen(_ failure: any Error) -> Bool {
    if case .undecided? = failure as? StoreError { return true }
    return false
  }

  /// A call failed: it had to, and it left nothing behind.
  private func checkFailure(
    _ device: RealDevice, _ what: String, _ failure: any Error, isExpected: Bool
  ) throws {
    if case .refused? = failure as? StoreError { return }
    if case .creationRefused? = failure as? StoreError { return }
    guard isExpected, let error = failure as? StoreError, !error.message.isEmpty else {
      throw Breach(promise: .refusedWrite, text: "\(device.number) \(what): \(failure)")
    }
    let shot = try device.shoot()
    if shot.text == device.shots.last?.text { return }
    throw Breach(
      promise: .halfWritten,
      text: "\(device.number) \(what): it failed and left \(difference(device, shot))")
  }

  /// Keeps what the file holds now.
  private func took(_ device: RealDevice, durable: Bool) throws {
    let shot = try device.shoot()
    report.note(shot.text)
    if durable { device.shots = [] }
    if device.shots.last?.text == shot.text { device.shots.removeLast() }
    device.shots.append(shot)
  }

  /// The first line in which a shot differs from the last one.
  func difference(_ device: RealDevice, _ shot: Shot) -> String {
    let before = Set((device.shots.last?.text ?? "").split(separator: "\n"))
    let now = Set(shot.text.split(separator: "\n"))
    let added = now.subtracting(before).sorted().map { "+\($0.prefix(90))" }
    let gone = before.subtracting(now).sorted().map { "-\($0.prefix(90))" }
    return (added + gone).prefix(4).joined(separator: " ")
  }

  // MARK: - Ends

  /// The app quits.
  func leave(_ device: RealDevice) async throws {
    tell("\(device.number) is closed")
    setClock(of: device)
    FaultLayer.count()
    await device.close()
    FaultLayer.disarm()
    try inspect(device, losesPower: false, isUnderWay: false, touched: nil)
    if oneIn(2) { device.blink() }
  }

  func die(_ device: RealDevice, _ kind: FaultKind) async throws {
    count(kind)
    try await die(device, kind, seed: drawSeed(), isUnderWay: false, touched: nil)
  }

  private func die(
    _ device: RealDevice, _ kind: FaultKind, seed: UInt64, isUnderWay: Bool, touched: Set<Int>?
  ) async throws {
    tell("\(device.number) ends by \(kind.name)")
    try await device.die(powerSeed: kind.losesPower ? seed : nil)
    try inspect(device, losesPower: kind.losesPower, isUnderWay: isUnderWay, touched: touched)
    if oneIn(2) { device.blink() }
  }

  /// Looks at the files of a device that is down: whole, and what they must hold.
  private func inspect(
    _ device: RealDevice, losesPower: Bool, isUnderWay: Bool, touched: Set<Int>?
  ) throws {
    try checkIntegrity(of: device)
    device.forgetLastSight()
    let found = try device.lastSight().shot
    report.note(found.text)
    let last = device.shots.count - 1
    if let index = device.shots.lastIndex(where: { $0.text == found.text }),
      index == last || losesPower || !isUnderWay
    {
      if index < last {
        guard losesPower else {
          throw Breach(
            promise: .notReopened,
            text: "\(device.number) lost what had returned: \(difference(device, found))")
        }
        let kept = device.shots[index].commit
        tell("\(device.number) lost what it did after its transaction \(kept)")
        ledger.doubt(device: device.number, after: kept)
      }
      device.shots = losesPower ? [device.shots[index]] : device.shots
      return
    }
    guard isUnderWay else {
      throw Breach(
        promise: losesPower ? .notDurable : .notReopened,
        text: "\(device.number) holds what never was: \(difference(device, found))")
    }
    if let touched { try checkOthers(device, found, touched) }
    device.shots = losesPower ? [found] : device.shots + [found]
  }

  /// A write that died got through; then nothing but its own records has changed.
  private func checkOthers(_ device: RealDevice, _ found: Shot, _ touched: Set<Int>) throws {
    let own = touched.map { Shelf.id($0).bytes.map(Self.hexadecimal).joined() }
    func others(_ text: String) -> [Substring] {
      RealDevice.records(of: text).filter { line in !own.contains { line.contains($0) } }
    }
    if others(found.text) == others(device.shots.last?.text ?? "") { return }
    throw Breach(
      promise: .halfWritten,
      text: "\(device.number) died in a write and holds \(difference(device, found))")
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count < 2 ? "0\(digits)" : digits
  }

  func checkIntegrity(of device: RealDevice) throws {
    report.checks += 1
    if let line = try device.damage().first {
      throw Breach(promise: .damaged, text: "\(device.number): \(line)")
    }
  }

  // MARK: - Opening

  /// Opens the store of a device that is down, as who it may be.
  func reopen(_ device: RealDevice) async throws {
    setClock(of: device)
    let (found, identity) = try device.lastSight()
    guard let before = identity else {
      throw Breach(promise: .notReopened, text: "\(device.number) has no identity")
    }
    let mustRenew = device.mustRenew(before)
    if oneIn(2) { device.blink() } else { try device.lookOn() }
    let fault = drawFault(for: device)
    if let fault { fault.arm() } else { FaultLayer.count() }
    var failure: StoreError?
    do throws(StoreError) { try device.open() } catch { failure = error }
    let hasHappened = fault != nil && FaultLayer.hasHappened
    tell("\(device.number) is opened\(failure.map { " and fails: \($0)" } ?? "")")
    if let fault, fault.kind.endsProcess {
      count(fault.kind)
      return try await die(
        device, fault.kind, seed: fault.seed, isUnderWay: false, touched: nil)
    }
    FaultLayer.disarm()
    if let fault, hasHappened { count(fault.kind) }
    if let failure {
      guard hasHappened, !failure.message.isEmpty else {
        throw Breach(promise: .notReopened, text: "\(device.number) does not open: \(failure)")
      }
      return
    }
    let now = try device.shoot()
    guard now.text == found.text else {
      throw Breach(
        promise: .notReopened,
        text: "opening \(device.number) changed \(difference(device, now))")
    }
    guard !hasHappened, let after = try device.identity() else { return }
    if (after.replica != before.replica) != mustRenew {
      throw Breach(
        promise: .identity,
        text: "\(device.number) \(mustRenew ? "goes on under its old id" : "took a new id")")
    }
  }

  // MARK: - Copies

  /// Copies a device's files, or puts the copy in their place.
  func copyOrPutBack(_ device: RealDevice) async throws {
    guard let copy = device.copy else {
      tell("\(device.number) is copied")
      guard let last = device.shots.last else { return }
      try device.makeCopy(last)
      return
    }
    let isWholeMachine = oneIn(4)
    count(isWholeMachine ? .putBackMachine : .putBackFile)
    tell("\(device.number) is put back\(isWholeMachine ? " with its machine" : "")")
    try await device.die(powerSeed: nil)
    try device.putBack(isWholeMachine: isWholeMachine)
    if isWholeMachine { ledger.hasTwins = true }
    ledger.doubt(device: device.number, after: copy.number)
    device.shots = [copy.shot]
    device.copy = nil
    try inspect(device, losesPower: false, isUnderWay: false, touched: nil)
  }
}

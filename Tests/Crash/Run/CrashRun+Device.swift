import CommuteTestKit
import Foundation

/// Killing a device.
extension CrashRun {
  /// Lets a device work until it is killed.
  ///
  /// - Returns: Whether it was killed where it should be.
  func killDevice(_ slot: Int, _ kill: KillPlan.Kill) throws -> Bool {
    let point = kill.charge?.point
    if generator.draw(point == "opening" ? 2 : 16) == 0 { try replace(slot) }
    let host = HostFile(in: world.slots[slot].hosts)
    let process = try world.start(
      slot, seed: generator.next(), steps: point == "closing" ? 12 : nil, manner: nextManner(),
      skew: nextSkew(), charge: kill.charge)
    let other = generator.draw(2) == 0 ? try startOther(than: [slot]) : nil
    var isMet = true
    if kill.charge != nil {
      isMet = world.listen(.seconds(10)) { !process.isOpen }
    } else {
      waitAsPlanned(kill)
    }
    process.kill()
    let ending = world.reap(process)
    // One that closes its file may be done before its time has come.
    if point == "closing", ending == .exit(0) {
      isMet = false
    } else if ending == .signal(SIGKILL) {
      report.note(kill, isMet: isMet)
    } else {
      world.findings.corrupt("\(process.name) ended by itself: \(ending)")
    }
    if let other { finish(other) }
    try check(slot, host: host)
    return isMet
  }

  /// Small delays count from the start, so that kills meet the opening of the file.
  func waitAsPlanned(_ kill: KillPlan.Kill) {
    if kill.delay > 15 {
      let before = world.ledger.sequence
      world.listen(.seconds(10)) { world.ledger.sequence != before }
    }
    world.listen(.milliseconds(kill.delay)) { false }
  }

  private func nextManner() -> DeviceOrder.Manner {
    generator.draw(2) == 0 ? .inTurn : .atOnce
  }

  /// A wall clock may be wrong, and set back between two lives; stamps must rise all the same.
  private func nextSkew() -> Int64 {
    Int64(generator.draw(40_000)) - 20_000
  }

  /// Starts another device, which works a while and ends.
  func startOther(than slots: Set<Int>) throws -> ChildProcess {
    let others = (0..<SheetValue.slots).filter { !slots.contains($0) }
    return try world.start(
      others[generator.draw(others.count)], seed: generator.next(),
      steps: 12 + generator.draw(24), manner: nextManner(), skew: nextSkew())
  }

  /// Lets a device that is not to be killed come to its end.
  func finish(_ process: ChildProcess) {
    world.listen(.seconds(30)) { !process.isOpen }
    if process.isOpen {
      process.kill()
      world.findings.corrupt("\(process.name) does not come to an end")
    }
    let ending = world.reap(process)
    if ending != .exit(0) { world.findings.corrupt("\(process.name) ended with \(ending)") }
  }

  /// Reads the file of a device that does not run, and compares it.
  @discardableResult
  private func check(_ slot: Int, host: HostFile?) throws -> DeviceFile? {
    do throws(SQLiteProgram.Complaint) {
      let file = try DeviceFile(copy(world.slots[slot].database))
      let server = try ServerFile(world.serverFile, isWhole: false)
      let check = DeviceCheck(slot: slot, file: file, server: server)
      check.resolve(&world.ledger, &world.findings)
      check.check(world.ledger, &world.findings)
      checkIdentity(slot, file, before: host)
      return file
    } catch {
      world.findings.corrupt(
        "the files of device \(SheetValue.name(slot)) cannot be read: \(error.message)")
      return nil
    }
  }

  /// A device goes on as who it was, unless the record outside was missing when it began.
  private func checkIdentity(_ slot: Int, _ file: DeviceFile, before host: HostFile?) {
    guard file.isMade else { return }
    let name = SheetValue.name(slot)
    let now = HostFile(in: world.slots[slot].hosts)
    if let now, now.replica == file.replica, now.number > file.number {
      world.findings.corrupt(
        "device \(name) has marked request \(now.number) outside, and \(file.number) inside")
    }
    let known = world.slots[slot]
    if let host, host.replica == known.replica, file.replicaCount > known.replicaCount {
      world.findings.corrupt("device \(name) took a new identity without a reason")
    }
    world.note(file, of: slot)
  }

  /// A copy of a database with its log, so that the first to recover it is the product.
  func copy(_ database: String) -> String {
    let copy = "\(world.folder)/copy.db"
    for ending in ["", "-wal", "-journal", "-shm"] {
      try? FileManager.default.removeItem(atPath: copy + ending)
      guard ending != "-shm" else { continue }
      try? FileManager.default.copyItem(atPath: database + ending, toPath: copy + ending)
    }
    return copy
  }

  /// Brings a device to rest and lets it go on with an empty file.
  private func replace(_ slot: Int) throws {
    try settle(slot)
    world.renew(slot)
  }

  func settle(_ slot: Int) throws {
    let host = HostFile(in: world.slots[slot].hosts)
    finish(try world.start(slot, seed: 0, steps: nil, manner: .settling))
    guard let file = try check(slot, host: host) else { return }
    for id in file.outbox.keys {
      world.findings.lose("device \(SheetValue.name(slot)) rests with \(id) in line")
    }
  }
}

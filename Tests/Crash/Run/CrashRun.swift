import CommuteTestKit
import Foundation

/// One run: it kills as planned, compares the files after each kill, and goes on with them.
final class CrashRun {
  private let options: CrashOptions
  private let output: CrashOutput
  private let world: World
  private var generator: SeededGenerator
  /// The own values that the server's file has shown.
  private var seen: [String: [SheetValue?]] = [:]
  private var report: CrashReport

  init(_ options: CrashOptions, output: CrashOutput) {
    self.options = options
    self.output = output
    generator = SeededGenerator(seed: options.seed)
    report = CrashReport(options)
    let folder = FileManager.default.temporaryDirectory.path + "/commute-crash-\(getpid())"
    world = World(
      folder: folder, plant: options.plant, findings: Findings { output.complain("crash: \($0)") })
  }

  /// Runs, and tells how it went.
  ///
  /// - Returns: The exit code: 0 only where nothing was lost or damaged and every phase was met.
  func perform() -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    if !options.isJSON { output.say(report.heading) }
    do {
      try FileManager.default.createDirectory(
        atPath: world.folder, withIntermediateDirectories: true)
      try killAll()
      try rest()
    } catch let failure as ChildProcess.Failure {
      output.complain("crash: \(failure.message)")
      world.end()
      return 1
    } catch {
      output.complain("crash: \(error)")
      world.end()
      return 1
    }
    world.end()
    report.finish(world)
    output.progress("")
    for line in options.isJSON ? [report.json] : report.lines { output.say(line) }
    // What a lie has left is of no use to anybody.
    if options.keepsFiles || !report.isGood && options.plant == nil {
      output.complain("crash: the files are in \(world.folder)")
    } else {
      try? FileManager.default.removeItem(atPath: world.folder)
    }
    return report.isGood ? 0 : 1
  }

  private func killAll() throws {
    try world.startServer()
    var plan = KillPlan(count: options.kills, using: &generator).kills[...]
    var missed = 0
    while let kill = plan.popFirst() {
      output.progress("crash: \(report.killed) of \(2 * options.kills) kills")
      let isMet: Bool
      switch kill.victim {
      case .device(let slot): isMet = try killDevice(slot, kill)
      case .server: isMet = try killServer(kill)
      }
      guard !isMet else { continue }
      // It was not at that point in time: it counts as killed at random, and is tried once more.
      missed += 1
      if missed <= options.kills {
        plan.append(KillPlan.kill(kill.victim, kill.phase, &generator))
      }
    }
  }

  // MARK: - A device

  /// Lets a device work until it is killed.
  ///
  /// - Returns: Whether it was killed where it should be.
  private func killDevice(_ slot: Int, _ kill: KillPlan.Kill) throws -> Bool {
    if generator.draw(16) == 0 { try replace(slot) }
    let host = HostFile(in: world.slots[slot].hosts)
    let process = try world.start(
      slot, seed: generator.next(), steps: nil, manner: nextManner(), skew: nextSkew(),
      charge: kill.charge)
    let other = generator.draw(2) == 0 ? try startOther(than: [slot]) : nil
    var isMet = true
    if kill.charge != nil {
      isMet = world.listen(.seconds(10)) { !process.isOpen }
    } else {
      waitAsPlanned(kill)
    }
    process.kill()
    let ending = world.reap(process)
    if ending != .signal(SIGKILL) {
      world.findings.corrupt("\(process.name) ended by itself: \(ending)")
    }
    report.note(kill, isMet: isMet)
    if let other { finish(other) }
    try check(slot, host: host)
    return isMet
  }

  /// Small delays count from the start, so that kills meet the opening of the file.
  private func waitAsPlanned(_ kill: KillPlan.Kill) {
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
  private func startOther(than slots: Set<Int>) throws -> ChildProcess {
    let others = (0..<SheetValue.slots).filter { !slots.contains($0) }
    return try world.start(
      others[generator.draw(others.count)], seed: generator.next(),
      steps: 12 + generator.draw(24), manner: nextManner(), skew: nextSkew())
  }

  /// Lets a device that is not to be killed come to its end.
  private func finish(_ process: ChildProcess) {
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
  private func copy(_ database: String) -> String {
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

  private func settle(_ slot: Int) throws {
    let host = HostFile(in: world.slots[slot].hosts)
    finish(try world.start(slot, seed: 0, steps: nil, manner: .settling))
    guard let file = try check(slot, host: host) else { return }
    for id in file.outbox.keys {
      world.findings.lose("device \(SheetValue.name(slot)) rests with \(id) in line")
    }
  }

  // MARK: - The server

  /// Lets devices work with the server until it is killed.
  private func killServer(_ kill: KillPlan.Kill) throws -> Bool {
    guard let server = world.server else { return false }
    if let charge = kill.charge {
      server.tell("arm \(charge.point) \(charge.passes) \(charge.delay)")
    }
    let first = try startOther(than: [])
    let taken = Set((0..<SheetValue.slots).filter { "device \(SheetValue.name($0))" == first.name })
    let devices = [first, try startOther(than: taken)]
    var isMet = true
    if kill.charge != nil {
      isMet = world.listen(.seconds(20)) {
        !server.isOpen || devices.allSatisfy { !$0.isOpen }
      }
      isMet = isMet && !server.isOpen
    } else {
      waitAsPlanned(kill)
    }
    server.kill()
    if let ending = world.reapServer(), ending != .signal(SIGKILL) {
      world.findings.corrupt("the server ended by itself: \(ending)")
    }
    report.note(kill, isMet: isMet)
    checkServer()
    try world.startServer()
    for device in devices { finish(device) }
    return isMet
  }

  private func checkServer() {
    do throws(SQLiteProgram.Complaint) {
      let file = try ServerFile(copy(world.serverFile), isWhole: true)
      ServerCheck(file: file).check(world.ledger, seen: &seen, &world.findings)
    } catch {
      world.findings.corrupt("the files of the server cannot be read: \(error.message)")
    }
  }

  // MARK: - At rest

  /// Lets everybody sync until nothing is left, ends the server, and compares all files.
  private func rest() throws {
    output.progress("crash: everybody comes to rest")
    for _ in 0..<2 {
      for slot in 0..<SheetValue.slots { try settle(slot) }
    }
    world.server?.tell("end")
    world.listen(.seconds(30)) { !(world.server?.isOpen ?? false) }
    if let ending = world.reapServer(), ending != .exit(0) {
      world.findings.corrupt("the server, told to end, ended with \(ending)")
    }
    checkServer()
    do throws(SQLiteProgram.Complaint) {
      let server = try ServerFile(world.serverFile, isWhole: true)
      var devices: [DeviceFile] = []
      for slot in world.slots { devices.append(try DeviceFile(slot.database)) }
      RestCheck(devices: devices, server: server).check(world.ledger, &world.findings)
      report.records = server.rows.count
    } catch {
      world.findings.corrupt("the files cannot be read at rest: \(error.message)")
    }
  }
}

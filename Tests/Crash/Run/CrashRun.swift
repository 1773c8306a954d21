import CommuteTestKit
import Foundation

/// One run: it kills as planned, compares the files after each kill, and goes on with them.
final class CrashRun {
  private let options: CrashOptions
  private let output: CrashOutput
  let world: World
  var generator: SeededGenerator
  /// The own values that the server's file has shown.
  var seen: [String: [SheetValue?]] = [:]
  var report: CrashReport

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

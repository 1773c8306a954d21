import CommuteTestKit
import Foundation

/// Killing the server.
extension CrashRun {
  /// Lets devices work with the server until it is killed.
  func killServer(_ kill: KillPlan.Kill) throws -> Bool {
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

  func checkServer() {
    do throws(SQLiteProgram.Complaint) {
      let file = try ServerFile(copy(world.serverFile), isWhole: true)
      ServerCheck(file: file).check(world.ledger, seen: &seen, &world.findings)
    } catch {
      world.findings.corrupt("the files of the server cannot be read: \(error.message)")
    }
  }
}

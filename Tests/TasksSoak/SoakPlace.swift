import CommuteTestKit
import Foundation

/// A disk of the run's own that can be filled, in memory and in a mount namespace: it goes with the
/// process, however that ends.
final class SoakPlace {
  let folder: String
  private static let inside = "COMMUTE_SOAK_INSIDE"
  private static let megabytes = 600

  /// Enters a namespace and mounts the disk.
  init() throws(SoakFailure) {
    if ProcessInfo.processInfo.environment[Self.inside] == nil { try Self.enter() }
    var template = Array("\(NSTemporaryDirectory())commute-soak-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SoakFailure(message: "no folder can be made in \(NSTemporaryDirectory())")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try mount(["-t", "tmpfs", "-o", "size=\(Self.megabytes)m", "tmpfs", folder])
  }

  deinit {
    rmdir(folder)
  }

  /// Starts this program once more where it may mount; does not return.
  private static func enter() throws(SoakFailure) {
    setenv(inside, "1", 1)
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let words =
      ["unshare", geteuid() == 0 ? "-m" : "-rm", program ?? CommandLine.arguments[0]]
      + CommandLine.arguments.dropFirst()
    var pointers = words.map { strdup($0) }
    pointers.append(nil)
    execvp("unshare", pointers)
    throw SoakFailure(
      message: "no mount namespace can be made: run as root, or where `unshare -rm` may be run")
  }

  /// Leaves next to no space on the disk for a while.
  func fill(for time: Duration) {
    var found = statvfs()
    guard statvfs(folder, &found) == 0 else { return }
    let used = (UInt64(found.f_blocks) - UInt64(found.f_bfree)) * UInt64(found.f_frsize)
    try? mount(["-o", "remount,size=\(used / 1_024 + 32)k", folder])
    _ = Watch(time).next([])
    try? mount(["-o", "remount,size=\(Self.megabytes)m", folder])
  }

  private func mount(_ arguments: [String]) throws(SoakFailure) {
    do {
      let process = try ChildProcess(
        "mount", program: "mount", arguments: arguments, joinsErrors: true)
      var said: [String] = []
      while process.isOpen { said += process.takeLines() }
      guard process.reap() == .exit(0) else {
        throw SoakFailure(message: "mount \(arguments.joined(separator: " ")): \(said.joined())")
      }
    } catch let error as ChildProcess.Failure {
      throw SoakFailure(message: error.message)
    } catch let error as SoakFailure {
      throw error
    } catch {
      throw SoakFailure(message: "\(error)")
    }
  }
}

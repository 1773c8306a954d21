import Foundation

/// The program `sqlite3`, which reads the files: not our code.
package enum SQLiteProgram {
  /// What it had to say against a file.
  package struct Complaint: Error {
    package var message: String
  }

  /// Runs SQL on a file that is only read.
  ///
  /// - Returns: The columns of each row.
  package static func rows(_ file: String, _ script: String) throws(Complaint) -> [[Substring]] {
    let arguments = [
      "-init", "/dev/null", "-batch", "-readonly", "-separator", "|", "-cmd", ".timeout 5000", file,
      script,
    ]
    let process: ChildProcess
    do {
      process = try ChildProcess(
        "sqlite3", program: "sqlite3", arguments: arguments, joinsErrors: true)
    } catch {
      throw Complaint(message: error.message + "; install sqlite3")
    }
    let watch = Watch(.seconds(60))
    var lines: [String] = []
    while process.isOpen, !watch.isOver {
      for (_, more) in watch.next([process]) { lines += more }
    }
    if process.isOpen { process.kill() }
    let ending = process.reap()
    guard ending == .exit(0) else {
      throw Complaint(message: lines.last ?? "sqlite3 ended with \(ending)")
    }
    return lines.map { $0.split(separator: "|", omittingEmptySubsequences: false) }
  }
}

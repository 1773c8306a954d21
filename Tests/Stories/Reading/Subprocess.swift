import Foundation

/// Programs that are run to their end.
enum Subprocess {
  /// Runs a program that lies on the path.
  ///
  /// - Returns: What it printed.
  static func output(
    of line: [String], environment: [String: String]? = nil
  ) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = line
    if let environment { process.environment = environment }
    let output = Pipe()
    let complaints = Pipe()
    process.standardOutput = output
    process.standardError = complaints
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = complaints.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let name = line.first ?? ""
    switch process.terminationStatus {
    case 0: return data
    // The code by which `env` says that there is no such program.
    case 127: throw StoryError("there is no program \(name); `make setup` installs it")
    case let code:
      let words = String(decoding: complaint, as: UTF8.self)
      throw StoryError("\(name) ended with \(code): \(words)")
    }
  }
}

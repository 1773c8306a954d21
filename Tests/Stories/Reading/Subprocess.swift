import Foundation

/// Programs that are run to their end.
enum Subprocess {
  /// Runs a program that lies on the path.
  ///
  /// - Returns: What it printed.
  static func output(of line: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = line
    let output = Pipe()
    let complaints = Pipe()
    process.standardOutput = output
    process.standardError = complaints
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = complaints.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let words = String(decoding: complaint, as: UTF8.self)
      throw StoryError("\(line.first ?? "") ended with \(process.terminationStatus): \(words)")
    }
    return data
  }
}

import Foundation
import Testing

/// A file of `Examples/data`.
struct DataFile {
  let url: URL

  init(_ name: String) {
    url = Self.folder.appending(path: name)
  }

  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Examples/data")

  var bytes: [UInt8] {
    get throws { Array(try Data(contentsOf: url)) }
  }

  var text: String {
    get throws { try String(contentsOf: url, encoding: .utf8) }
  }
}

/// A folder that exists as long as a test needs it.
struct TemporaryFolder: ~Copyable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "commute-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Runs a Python script and returns what it wrote.
  static func python(_ arguments: [String]) throws -> Data {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "python3 is needed and must succeed")
    return data
  }
}

import CommuteCore
import CommuteVectors
import Foundation
import Testing

/// The golden vectors on this machine; `make embedded` runs the same list in WebAssembly.
@Suite struct VectorTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let folder = root.appending(path: "Tests/Vectors")

  static func files() throws -> [URL] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  @Test func `every vector comes out as expected`() throws {
    var run = VectorRun()
    for file in try Self.files() {
      let bytes = [UInt8](try Data(contentsOf: file))
      for complaint in run.play(bytes, named: file.lastPathComponent) {
        Issue.record("\(complaint)")
      }
    }
    #expect(run.ran >= 1_500)
  }

  @Test func `Python makes the same vectors from the protocol's page`() throws {
    let manager = FileManager.default
    let made = manager.temporaryDirectory.appending(path: "commute-vectors-\(getpid())")
    try manager.createDirectory(at: made, withIntermediateDirectories: true)
    defer { try? manager.removeItem(at: made) }
    let python = Process()
    python.executableURL = URL(filePath: "/usr/bin/env")
    python.arguments = ["python3", "-B", "Tools/vectors.py", made.path()]
    python.currentDirectoryURL = Self.root
    let output = Pipe()
    python.standardOutput = output
    python.standardError = output
    try python.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    python.waitUntilExit()
    #expect(python.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
    let others = ["calls.txt", "echo.txt"]
    for file in try Self.files() where !others.contains(file.lastPathComponent) {
      let fresh = try? Data(contentsOf: made.appending(path: file.lastPathComponent))
      let stored = try Data(contentsOf: file)
      #expect(fresh == stored, "run python3 Tools/vectors.py: \(file.lastPathComponent) differs")
    }
  }
}

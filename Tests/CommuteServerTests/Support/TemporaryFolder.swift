import CommuteSQLite
import Foundation

/// A folder that is gone when the test is over.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "commute-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String = "server.sqlite") -> String { "\(path)/\(name)" }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: file(name)), options: .atomic)
  }

  /// Reads the first column of all rows, over a connection of its own that cannot write.
  func sql(_ text: String, in name: String = "server.sqlite") throws -> [SQLValue] {
    var configuration = Configuration(.readOnly)
    configuration.journal = .unchanged
    let connection = try Connection(.file(file(name)), configuration)
    defer { connection.close() }
    return try connection.prepare(text).all { row in row.value(0) }
  }
}

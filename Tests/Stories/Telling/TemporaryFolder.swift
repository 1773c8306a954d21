import Foundation

/// A folder for the files of one telling.
struct TemporaryFolder: Sendable {
  let path: String

  init(_ name: String) throws {
    let place = FileManager.default.temporaryDirectory
      .appending(path: "commute-story-\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    path = place.path
  }

  /// Writes a file.
  ///
  /// - Returns: Its path.
  func write(_ text: String, to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(filePath: file))
    return file
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }
}

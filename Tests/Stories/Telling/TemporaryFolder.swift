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

  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }
}

import Foundation

/// Where things lie that nobody named a place for.
enum DataPlace {
  /// `$XDG_DATA_HOME/commute`, or the same under `~/.local/share`.
  static func path(_ name: String) -> String {
    let environment = ProcessInfo.processInfo.environment
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      return "\(data)/commute/\(name)"
    }
    let home = environment["HOME"] ?? NSHomeDirectory()
    return "\(home)/.local/share/commute/\(name)"
  }

  /// Makes the folder that a file shall lie in, for its owner only.
  static func makeFolder(of file: String) throws(Failure) {
    let folder = URL(filePath: file).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Failure(
        .storage, "the folder \(folder) cannot be made; check the path, its rights and the disk")
    }
  }
}

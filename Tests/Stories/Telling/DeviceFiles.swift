import Foundation

/// The files of a device, as a backup of it holds them, and what is kept outside.
struct DeviceFiles {
  private let paths: [String]
  private let hostFolder: String

  init(_ setting: DeviceSetting) {
    paths = [setting.folder, NaiveFile.path(in: setting.folder)]
    hostFolder = setting.hostFolder
  }

  /// Makes another device one on which nothing but a copy of these files was put.
  func copy(to other: DeviceFiles) throws {
    let files = FileManager.default
    for path in other.paths + [other.hostFolder] where files.fileExists(atPath: path) {
      try files.removeItem(atPath: path)
    }
    for (path, copy) in zip(paths, other.paths) where files.fileExists(atPath: path) {
      try files.copyItem(atPath: path, toPath: copy)
    }
  }
}

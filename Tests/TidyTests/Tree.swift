import Foundation

/// The package as it lies on the disk.
enum Tree {
  /// The folder of Package.swift.
  static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "../..").standardized

  /// Every Swift file of modules, tests, tools, and examples.
  static let sources: [SourceFile] = ["Sources", "Tests", "Tools", "Examples", "Benchmarks"]
    .flatMap { paths(below: $0) }
    .filter { $0.hasSuffix(".swift") }
    .compactMap { path in text(of: path).map { SourceFile(path: path, text: $0) } }

  /// What a person sees in the folder of the package.
  static var visibleRootEntries: [String] {
    entries(of: "").filter { !$0.hasPrefix(".") }
  }

  /// The names below a folder, files of all kinds, without what is hidden (but for `.ci`).
  static func paths(below folder: String) -> [String] {
    entries(of: folder).flatMap { name -> [String] in
      let path = folder.isEmpty ? name : folder + "/" + name
      guard isFolder(path) else { return [path] }
      return name.hasPrefix(".") && name != ".ci" ? [] : paths(below: path)
    }
  }

  /// The text of a file, if it is there and is text.
  static func text(of path: String) -> String? {
    try? String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func entries(of folder: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: folder).path)
    return (names ?? []).sorted()
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(
      atPath: root.appending(path: path).path, isDirectory: &isFolder)
    return exists && isFolder.boolValue
  }
}

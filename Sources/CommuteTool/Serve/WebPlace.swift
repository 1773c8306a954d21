import CommuteServer
import Foundation

/// Where the pages for browsers lie.
enum WebPlace {
  /// The folder in a checkout that `make web` makes, and beside the program where it is installed.
  private static let usual = ["Web/dist", "share/commute/web"]

  /// The pages of a folder; of the usual ones where none is named, and nothing where there is none.
  ///
  /// A checkout's folder is looked for above the program, which is built inside of it.
  ///
  /// - Throws: ``WebPages/Refusal``.
  static func pages(_ named: String?) throws(WebPages.Refusal) -> WebPages? {
    if let named { return try WebPages(directory: named) }
    guard let folder = find() else { return nil }
    return try WebPages(directory: folder)
  }

  private static func find() -> String? {
    guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
    var folder = program.deletingLastPathComponent()
    for _ in 0..<6 {
      for name in usual {
        let path = folder.appending(path: name).path
        if FileManager.default.fileExists(atPath: "\(path)/index.html") { return path }
      }
      folder = folder.deletingLastPathComponent()
    }
    return nil
  }
}

import Foundation

/// Where the list of books for demonstrations lies.
enum SampleFile {
  private static let name = "reading-list.csv"

  /// The program's own path.
  static var program: String {
    Bundle.main.executablePath ?? URL(filePath: CommandLine.arguments[0]).standardizedFileURL.path
  }

  /// Finds the file beside a checkout, or where an installation puts it.
  static func find() throws(Failure) -> String {
    let here = FileManager.default.currentDirectoryPath
    let folder = URL(filePath: program).resolvingSymlinksInPath().deletingLastPathComponent()
    let installed = folder.deletingLastPathComponent().appending(path: "share/commute/\(name)")
    let places =
      [installed] + checkouts(above: folder) + checkouts(above: URL(filePath: here))
    guard let found = places.first(where: { FileManager.default.fileExists(atPath: $0.path) })
    else {
      throw Failure(
        .refused,
        "Examples/data/\(name) is neither above \(folder.path) nor above \(here), nor is"
          + " \(installed.path) there; run this in a checkout of Commute, or install it again")
    }
    return found.path
  }

  private static func checkouts(above folder: URL) -> [URL] {
    var places: [URL] = []
    var folder = folder.standardizedFileURL
    while folder.path != "/" {
      places.append(folder.appending(path: "Examples/data/\(name)"))
      folder.deleteLastPathComponent()
    }
    return places
  }
}

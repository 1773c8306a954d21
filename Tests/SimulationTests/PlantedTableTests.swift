import Foundation
import Testing

/// The table of planted bugs as it stands in the sources; this build has none of them.
@Suite struct PlantedTableTests {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// All sources of the package as text.
  static let sources: [String] = {
    let folder = root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var texts: [String] = []
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      if let text = try? String(contentsOf: file, encoding: .utf8) { texts.append(text) }
    }
    return texts
  }()

  /// The names in the table.
  static let names: [String] = {
    let file = root.appending(path: "Sources/CommuteCore/Planted.swift")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("    case ") }.flatMap { line in
      line.dropFirst("    case ".count).split(separator: ", ").map { String($0) }
    }
  }()

  @Test func `there are at least sixty, each named once`() {
    #expect(Self.names.count >= 60)
    #expect(Set(Self.names).count == Self.names.count)
  }

  @Test func `each of them is planted somewhere`() {
    for name in Self.names {
      let isPlanted = Self.sources.contains { $0.contains("Planted.isActive(.\(name))") }
      #expect(isPlanted, "\(name) changes nothing")
    }
  }

  @Test(arguments: [
    "wallClockOnly", "rowLevelMerge", "hardDelete", "acknowledgeByRecord", "splitTransaction",
    "cursorBeforeRows", "headAsCursor", "textOrderInTies",
  ])
  func `the bugs that everybody writes first are among them`(name: String) {
    #expect(Self.names.contains(name))
  }

  @Test func `no condition stands for two bugs`() {
    for text in Self.sources {
      for line in text.split(separator: "\n") {
        let hooks = line.components(separatedBy: "Planted.isActive(").count - 1
        #expect(hooks <= 1, "\(line)")
      }
    }
  }
}

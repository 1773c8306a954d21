import Foundation
import Testing

/// Holds what concerns the package as a whole.
@Suite struct PackageTests {
  @Test func `the manifest depends only downwards`() throws {
    let manifest = Manifest(try #require(Tree.text(of: "Package.swift")))
    #expect(manifest.targets.contains { $0.name == "CommuteCore" && $0.dependencies.isEmpty })
    #expect(manifest.targets.contains { $0.dependencies.contains("CommuteSQLite") })
    #expect(manifest.complaints == [])
  }

  @Test func `a dependency that points upwards is found`() {
    let text = """
      targets: [
        .target(name: "CommuteCore", dependencies: ["CommuteStore"], swiftSettings: house),
        .target(
          name: "CommuteHTTP",
          dependencies: [
            .target(name: "CCurl", condition: .when(platforms: [.linux])), "CommuteCore",
          ]),
        .executableTarget(name: "Nameless"),
        .testTarget(name: "CommuteCoreTests", dependencies: ["CommuteStore"]),
      ]
      """
    #expect(
      Manifest(text).complaints == [
        "CommuteCore must not depend on CommuteStore", "CommuteHTTP must not depend on CommuteCore",
        "Nameless has no layer",
      ])
  }

  @Test func `every folder of Sources has a layer`() {
    let folders = Set(Tree.paths(below: "Sources").map { $0.split(separator: "/")[1] })
    #expect(folders.filter { Module.all[String($0)] == nil } == [])
  }

  @Test func `the root can be read at a glance`() {
    let entries = Tree.visibleRootEntries
    #expect(entries.contains("Package.swift"))
    #expect(entries.count <= 15, "\(entries)")
  }

  @Test func `the read-me is short`() {
    guard let text = Tree.text(of: "README.md") else { return }
    let words = text.split(whereSeparator: \.isWhitespace).count
    #expect(words <= 500)
  }

  @Test func `no file names the place where it was written`() {
    #expect(Workplace.isNamed(in: Data("see /wo\("rk")/main".utf8)))
    #expect(Workplace.isNamed(in: Data("cd ../sha\("red")".utf8)))
    #expect(!Workplace.isNamed(in: Data("network/ and a framework/main".utf8)))
    for path in Tree.paths(below: "") {
      guard let content = try? Data(contentsOf: Tree.root.appending(path: path)) else { continue }
      #expect(!Workplace.isNamed(in: content), "\(path)")
    }
  }
}

/// Paths of the machine that the package happened to be written on.
enum Workplace {
  /// Spelt so that this file does not contain them itself.
  private static let names = [["/wo", "rk/"], ["../sha", "red"]]

  static func isNamed(in content: Data) -> Bool {
    names.contains { content.range(of: Data($0.joined().utf8)) != nil }
  }
}

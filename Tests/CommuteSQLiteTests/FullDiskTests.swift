import CommuteSQLite
import Foundation
import Testing

/// A very small disk, which only root can make, and which is gone when the test is over.
private final class SmallDisk {
  let folder: TemporaryFolder

  /// Whether this machine lets us make one.
  static let isPossible = geteuid() == 0 && (try? SmallDisk(kibibytes: 64)) != nil

  init(kibibytes: Int) throws {
    folder = try TemporaryFolder()
    try Self.run(["mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", folder.path])
  }

  deinit {
    try? Self.run(["umount", "-l", folder.path])
  }

  private static func run(_ words: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
  }

  /// Fills what is left, or all but some of it.
  func fill(leaving kibibytes: Int = 0) throws {
    let reserve = folder.file("reserve")
    try Data(repeating: 0, count: kibibytes * 1_024).write(to: URL(filePath: reserve))
    defer { try? FileManager.default.removeItem(atPath: reserve) }
    let path = folder.file("filler")
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    for count in [4_096, 1] {
      while (try? file.write(contentsOf: Data(repeating: 0, count: count))) != nil {}
    }
    try file.close()
  }

  func makeRoom() throws {
    try FileManager.default.removeItem(atPath: folder.file("filler"))
  }
}

@Suite(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
struct FullDiskTests {
  @Test func `a full disk undoes the transaction and the connection goes on`() throws {
    let disk = try SmallDisk(kibibytes: 512)
    let connection = try disk.folder.open()
    try connection.execute("CREATE TABLE book(title TEXT)")
    try connection.run("INSERT INTO book VALUES ('Momo')")
    try disk.fill()
    let long = String(repeating: "x", count: 300_000)
    for synchronous in [Synchronous.normal, .full] {
      #expect(throws: SQLiteError.full) {
        try connection.transaction(synchronous: synchronous) {
          try connection.run("INSERT INTO book VALUES (\(long))")
        }
      }
      #expect(!connection.isInTransaction)
      let count = try connection.count()
      #expect(count == .integer(1))
    }
    try disk.makeRoom()
    try connection.run("INSERT INTO book VALUES ('Krabat')")
    let lines = try connection.integrityCheck()
    #expect(lines == [])
  }

  @Test func `a database that has no room to begin with is told`() throws {
    let disk = try SmallDisk(kibibytes: 64)
    try disk.fill()
    #expect(throws: SQLiteError.full) {
      try disk.folder.open().execute("CREATE TABLE book(title TEXT)")
    }
  }

  @Test func `a disk without room for the side files is told as full, not as broken`() throws {
    let disk = try SmallDisk(kibibytes: 64)
    try disk.fill(leaving: 16)
    #expect(throws: SQLiteError.full) {
      try disk.folder.open().execute("CREATE TABLE book(title TEXT)")
    }
  }

  @Test func `a backup onto a full disk leaves no file`() throws {
    let source = try books()
    try source.run("INSERT INTO book(title) VALUES (\(String(repeating: "x", count: 300_000)))")
    let disk = try SmallDisk(kibibytes: 64)
    #expect(throws: SQLiteError.full) {
      try source.backup(toFile: disk.folder.file("copy.db"))
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: disk.folder.path)
    #expect(left == [])
  }
}

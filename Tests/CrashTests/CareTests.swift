import CommuteCore
import CommuteServer
import CommuteServerSQLite
import CommuteTestKit
import Foundation
import Testing

@testable import CrashRunner

/// Kills restores and purges at every point, with SIGKILL, and reads the files with `sqlite3`.
@Suite struct `a restore or purge that is killed` {
  private let folder: URL
  private static let begin: Int64 = 1_700_000_000_000
  private static let later = begin + 100 * 86_400_000

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "care-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var file: String { folder.appending(path: "server.sqlite").path }
  private var backup: String { folder.appending(path: "backup.sqlite").path }

  /// A server with so many records, of which each second one is deleted.
  private func fill(_ count: UInt64) async throws {
    let store = try await ServerSQLiteStore.open(file, time: Self.begin)
    var batch: [CommuteCore.Operation] = []
    for number in 1...count {
      let stamp = Stamp(
        milliseconds: UInt64(Self.begin), counter: UInt16(number), replica: ReplicaID(rawValue: 7))
      batch.append(
        CommuteCore.Operation(
          id: OperationID(high: 7, low: number), schema: 1, replica: ReplicaID(rawValue: 7),
          epoch: nil, base: nil,
          key: RecordKey(table: "book", id: RecordID(high: 0x7000, low: number)), feed: "books",
          creates: true, fields: ["title": OperationField(value: .text("\(number)"), stamp: stamp)],
          deleted: number.isMultiple(of: 2) ? stamp : nil))
    }
    let request = SyncRequest(
      schema: SchemaID(name: "library", version: 1, hash: 1), build: "test", owner: "local/local",
      replica: ReplicaID(rawValue: 7), device: "phone", number: 1, nonce: Nonce(high: 1, low: 1),
      epoch: nil, time: Self.begin, feeds: [SyncRequest.Feed(feed: "books")],
      operations: batch.map { SyncRequest.SentOperation(operation: $0) })
    let answer = try await store.answer(request, of: .local, time: Self.begin)
    #expect(answer.verdicts.allSatisfy { $0.kind == .applied })
    await store.close()
  }

  private func care(
    _ backup: String? = nil, killedAt point: String? = nil, passes: Int = 1
  ) throws -> ChildProcess.Ending {
    let charge = point.map { Fuse.Charge(point: $0, passes: passes) }
    let order = CareOrder(file: file, backup: backup, time: Self.later, charge: charge)
    let words = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
    let process = try ChildProcess(
      "care", program: Self.program, arguments: ["--care-child", words])
    let watch = Watch(.seconds(60))
    while process.isOpen, !watch.isOver { _ = watch.next([process]) }
    if process.isOpen { process.kill() }
    return process.reap()
  }

  /// The program lies beside the tests.
  private static var program: String {
    let link = "/proc/self/exe"
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    let tests = URL(filePath: own ?? CommandLine.arguments[0])
    return tests.deletingLastPathComponent().appending(path: "CrashRunner").path
  }

  private func value(_ sql: String, in path: String? = nil) throws -> String {
    String(try SQLiteProgram.rows(path ?? file, sql).first?.first ?? "")
  }

  @Test(arguments: ["purging", "purged"], [1, 2, 5, 8, 12])
  func `leaves each record whole or as a stub below the fence`(
    point: String, passes: Int
  ) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await fill(60)
    #expect(try care(killedAt: point, passes: passes) == .signal(SIGKILL))
    #expect(try value("PRAGMA integrity_check") == "ok")
    let (records, stubs) = (
      try value("SELECT count(*) FROM record"), try value("SELECT count(*) FROM stub")
    )
    #expect((Int(records) ?? 0) + (Int(stubs) ?? 0) == 60)
    let gone = try value(
      "SELECT count(*) FROM record, feed WHERE deleted IS NOT NULL AND record.revision <= fence")
    #expect(gone == "0")
    #expect(try care() == .exit(0))
    #expect(try value("SELECT count(*) FROM stub") == "30")
    #expect(try value("SELECT fence FROM feed") == "60")
    #expect(try value("PRAGMA integrity_check") == "ok")
  }

  @Test(arguments: ["copied", "prepared", "settled", "kept", "replaced"])
  func `leaves what was there, or what comes, and the next restore ends it`(
    point: String
  ) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await fill(10)
    try await ServerDatabase(file).backup(to: backup, time: Self.later)
    let epoch = try value("SELECT epoch FROM meta")
    #expect(try care(backup, killedAt: point) == .signal(SIGKILL))
    #expect(try value("PRAGMA integrity_check") == "ok")
    let after = try value("SELECT epoch FROM meta")
    #expect((after == epoch) == (point != "replaced"))
    #expect(try value("SELECT count(*) FROM record") == "10")
    #expect(try value("SELECT backup IS NULL FROM meta") == "1")
    let store = try await ServerSQLiteStore.open(file)
    await store.close()

    #expect(try care(backup) == .exit(0))
    #expect(try value("SELECT epoch FROM meta") != epoch)
    #expect(try value("SELECT count(*) FROM record") == "10")
    #expect(try value("PRAGMA integrity_check") == "ok")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.contains("restoring") })
    for name in names where name.contains("replaced") {
      #expect(try value("PRAGMA integrity_check", in: folder.path + "/" + name) == "ok")
    }
  }
}

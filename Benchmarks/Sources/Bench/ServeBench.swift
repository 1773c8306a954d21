import CFloor
import Commute
import CommuteServer
import CommuteServerSQLite
import Foundation
import Synchronization

/// Eight devices that send one small record a request, each durable before its answer.
enum ServeBench {
  static let clients = 8

  static func run(requests: Int, rounds: Int) async throws -> Measurement {
    var (ours, floors, cpu, floorCPU): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 0..<rounds {
      let folder = NSTemporaryDirectory() + "commute-bench-\(UUID())"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let (wall, seconds) = try await serve(folder, requests: requests)
      var (floorWall, floorSeconds) = (0.0, 0.0)
      let code = floor_group_commit(
        folder + "/floor.sqlite", Int32(requests), Int32(clients), &floorWall, &floorSeconds)
      guard code == 0 else { throw PullBench.Failure(message: "the floor: SQLite \(code)") }
      ours.append(wall)
      cpu.append(seconds)
      floors.append(floorWall)
      floorCPU.append(floorSeconds)
    }
    let count = Double(requests)
    return Measurement(
      name: "small-requests-\(clients)", ratio: (floors.min() ?? 0) / (ours.min() ?? 1),
      goal: .atLeast(0.22),
      note: "best \(Int(count / (ours.min() ?? 1)))/s, median \(Int(count / median(ours)))/s (goal"
        + " 5000/s); server \(Int(median(cpu) / count * 1e6)) us CPU a request; floor best"
        + " \(Int(count / (floors.min() ?? 1)))/s, \(Int(median(floorCPU) / count * 1e6)) us CPU")
  }

  /// Sends the requests; gives the wall time, and what the process took beside its clients.
  private static func serve(
    _ folder: String, requests: Int
  ) async throws -> (wall: Double, cpu: Double) {
    let shelf = try await ServerSQLiteStore.open(folder + "/server.sqlite")
    let server = try Server(store: shelf, settings: ServerSettings())
    let port = try await server.start().port
    let written = (0..<clients).map { client in
      (0..<requests / clients).map { number in
        SmallClient.post(request(client: client, number: number))
      }
    }
    let spent = Spent()
    let (before, start) = (processSeconds(), ContinuousClock.now)
    await withTaskGroup(of: Void.self) { group in
      for requests in written {
        group.addTask {
          await withCheckedContinuation { done in
            Thread {
              do {
                let client = try SmallClient(port: port)
                let seconds = try cpuSeconds {
                  for request in requests { try client.send(request) }
                }
                spent.add(seconds)
              } catch {
                spent.note("\(error)")
              }
              done.resume()
            }.start()
          }
        }
      }
    }
    let wall = (ContinuousClock.now - start) / .seconds(1)
    let (seconds, problem) = spent.all
    let cpu = processSeconds() - before - seconds
    await server.drain()
    guard problem.isEmpty else { throw PullBench.Failure(message: problem) }
    return (wall, cpu)
  }

  private static func request(client: Int, number: Int) -> [UInt8] {
    let replica = ReplicaID(rawValue: UInt64(client) + 1)
    var generator = SystemRandomNumberGenerator()
    let milliseconds = UInt64(Date().timeIntervalSince1970 * 1_000)
    let stamp = Stamp(
      milliseconds: milliseconds, counter: UInt16(truncatingIfNeeded: number), replica: replica)
    let operation = CommuteCore.Operation(
      id: .random(using: &generator), schema: 1, replica: replica,
      key: RecordKey(table: "book", id: .new(milliseconds: milliseconds, using: &generator)),
      feed: "books", creates: true,
      fields: [
        "title": OperationField(value: .text("Pride, volume \(number)"), stamp: stamp),
        "author": OperationField(value: .text("Jane Austen"), stamp: stamp),
        "rating": OperationField(value: .integer(5), stamp: stamp),
      ])
    // A device that has read everything: only what others wrote meanwhile would come, so it asks
    // for one record at the most.
    return SyncRequest(
      schema: SchemaID(name: "bench", version: 1, hash: 1), build: "bench", owner: "local/local",
      replica: replica, device: "bench", number: UInt64(number) + 1,
      nonce: .random(using: &generator), epoch: nil, time: Int64(milliseconds),
      feeds: [SyncRequest.Feed(feed: "books", cursor: 1 << 40)],
      operations: [SyncRequest.SentOperation(operation: operation)],
      limit: SyncRequest.Limit(bytes: 1, records: 1)
    ).encoded()
  }

  private static func processSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// What the clients took and met.
private final class Spent: Sendable {
  private let state = Mutex((seconds: 0.0, problem: ""))

  var all: (seconds: Double, problem: String) { state.withLock { $0 } }

  func add(_ seconds: Double) { state.withLock { $0.seconds += seconds } }
  func note(_ problem: String) { state.withLock { $0.problem = problem } }
}

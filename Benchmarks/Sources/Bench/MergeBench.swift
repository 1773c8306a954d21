import CFloor
import Commute
import CommuteServer
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Merging pulled records with what a device has, beside a merge written in C.
enum MergeBench {
  static func run(rounds: Int) async throws -> [Measurement] {
    let workshop = try Workshop()
    let count = 10_000
    let server = try await BenchServer(workshop)
    let writer = try workshop.store("writer")
    try await writer.write { tx in
      for number in 0..<count { _ = try tx.insert(Todo.numbered(number)) }
    }
    try await server.sync(writer)
    var devices: [Store] = []
    for round in 0..<rounds {
      let device = try workshop.store("device-\(round)")
      try await device.subscribe(to: "todos")
      try await server.sync(device)
      devices.append(device)
    }
    // The whole of it: every record has a newer title and version.
    try await writer.write { tx in
      for number in 0..<count {
        _ = try tx.update(Todo.self, Todo.id(of: number)) { todo in
          todo.title = "Buy milk and bread, again \(String(format: "%06d", number))"
          todo.version = number + 1
        }
      }
    }
    try await server.sync(writer)
    await writer.close()
    var ratios = Ratios()
    var micros: [Double] = []
    for device in devices {
      let floorPath = workshop.path("merge.sqlite")
      let (ours, pages) = try await pull(device, server.address, count)
      let floor = try Workshop.floor("merge") { time in
        let filled = floor_fill_stamped(floorPath, Int32(count), Workshop.cache)
        guard filled == 0 else { return filled }
        return floor_merge(
          floorPath, Int32(count), Int32((count + pages - 1) / pages), Workshop.cache, &time)
      }
      ratios.add(ours, own: floor.cpu)
      micros.append(ours / Double(count) * 1e6)
      await device.close()
    }
    await server.end()
    return [
      ratios.measurement(
        "store-merge-\(count)", atMost: 2.0,
        "ours \(short(median(micros))) µs CPU a record of 4 stamped fields, 2 of them newer")
    ]
  }

  /// Reads all pages; gives the CPU of applying them, and how many there were.
  private static func pull(
    _ store: Store, _ address: String, _ count: Int
  ) async throws -> (cpu: Double, pages: Int) {
    var cpu = 0.0
    var pages = 0
    var more = true
    while more {
      let round = try await store.beginRound(batch: 100)
      let answered = try await exchange(round.bytes, address)
      let answer = try SyncAnswer(decoding: answered)
      let start = processSeconds()
      let applied = try await store.apply(answer, roundTrip: 1)
      cpu += processSeconds() - start
      more = applied.more
      pages += 1
    }
    try await store.expect(
      count, "merged rows", "SELECT count(*) FROM todo WHERE title LIKE '%again%' AND version > 0")
    try await store.expect(
      0, "rows without the older stamp", "SELECT count(*) FROM todo WHERE length(_commute) < 16")
    return (cpu, pages)
  }

  private static func exchange(_ body: [UInt8], _ address: String) async throws -> [UInt8] {
    guard let url = URL(string: address + "/v1/sync") else {
      throw BenchFailure(description: "no address: \(address)")
    }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(body)
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw BenchFailure(description: "\(response)")
    }
    return Array(data)
  }
}

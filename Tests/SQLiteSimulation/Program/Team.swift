import Foundation
import Synchronization

/// What several processes have said so far.
private final class Tally: Sendable {
  let summary = Mutex(Summary())
  let next: Mutex<[UInt64]>

  init(_ next: [UInt64]) {
    self.next = Mutex(next)
  }
}

/// What several processes have hunted so far.
private final class Bag: Sendable {
  let hands: Mutex<[[Summary.Quarry]]>

  init(_ count: Int) {
    hands = Mutex(Array(repeating: [], count: count))
  }
}

/// The processes that play: the layer that fails is one for a process.
struct Team: Sendable {
  let output: Output
  let options: Options

  /// Lets all of them play, and sums up what they say.
  func play() async -> Summary {
    let jobs = min(options.jobs, max(1, options.histories))
    let tally = Tally((0..<jobs).map { options.seed + UInt64($0) })
    await withTaskGroup(of: Void.self) { group in
      for job in 0..<jobs { group.addTask { await play(job, of: jobs, tally) } }
    }
    output.progress("")
    return tally.summary.withLock { $0 }
  }

  private func play(_ job: Int, of jobs: Int, _ tally: Tally) async {
    let count = (options.histories + jobs - 1 - job) / jobs
    let first = options.seed + UInt64(job)
    let status = await start(
      Self.program,
      ["--work", "--seed", "\(first)", "--histories", "\(count)", "--jobs", "\(jobs)"]
    ) { line in
      guard let row = Row(line: line) else { return }
      tally.next.withLock { $0[job] = row.seed + UInt64(jobs) }
      let played = tally.summary.withLock { summary in
        summary.add(row)
        return summary.histories
      }
      output.progress("\(played) of \(options.histories) histories")
    }
    guard status != 0 else { return }
    let row = Row(
      lost: tally.next.withLock { $0[job] },
      text: "the process that played it ended with status \(status)")
    tally.summary.withLock { $0.add(finding: row) }
  }

  /// Lets the planted build hunt, in several processes; nil where it cannot.
  func hunt(with program: String) async -> [Summary.Quarry]? {
    let bag = Bag(options.jobs)
    let isDone = await withTaskGroup(of: Bool.self) { group in
      for job in 0..<options.jobs {
        group.addTask {
          await start(
            program,
            [
              "--hunt", "--seed", "\(options.seed)", "--patience", "\(options.patience)",
              "--jobs", "\(options.jobs)", "--share", "\(job)",
            ]
          ) { line in
            guard let quarry = Summary.Quarry(line: line) else { return }
            output.progress("hunted \(quarry.name)")
            bag.hands.withLock { $0[job].append(quarry) }
          } == 0
        }
      }
      return await group.allSatisfy { $0 }
    }
    output.progress("")
    return isDone ? Self.inTurn(bag.hands.withLock { $0 }) : nil
  }

  /// What was dealt out in turn, in its order.
  static func inTurn<Element>(_ hands: [[Element]]) -> [Element] {
    let longest = hands.map(\.count).max() ?? 0
    return (0..<longest).flatMap { place in
      hands.compactMap { $0.indices.contains(place) ? $0[place] : nil }
    }
  }

  private static var program: String {
    Bundle.main.executablePath ?? CommandLine.arguments[0]
  }

  /// Runs a program and reads its lines; gives its exit status.
  private func start(
    _ program: String, _ arguments: [String], each read: @escaping @Sendable (Substring) -> Void
  ) async -> Int32 {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        do {
          try process.run()
        } catch {
          return continuation.resume(returning: 127)
        }
        var rest = ""
        while true {
          let data = pipe.fileHandleForReading.availableData
          if data.isEmpty { break }
          rest += String(decoding: data, as: UTF8.self)
          while let end = rest.firstIndex(of: "\n") {
            read(rest[..<end])
            rest = String(rest[rest.index(after: end)...])
          }
        }
        process.waitUntilExit()
        continuation.resume(returning: process.terminationStatus)
      }
    }
  }
}

extension Row {
  /// A history that took its process with it.
  init(lost seed: UInt64, text: String) {
    self.init(
      History.Outcome(
        seed: seed, report: Report(), breach: Breach(promise: .trap, text: text)))
  }
}

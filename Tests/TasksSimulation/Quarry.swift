import Foundation

/// A planted bug, and what became of it.
struct Quarry {
  /// Why there was no hunt.
  struct Refusal: Error {
    var text: String
  }

  var name: String
  /// The guarantee that caught it; empty where none did.
  var guarantee: String
  /// How many histories it took.
  var history: Int
  /// How many steps the shortest history has that shows it.
  var steps: Int

  /// Whether it was caught.
  var isKilled: Bool { !guarantee.isEmpty }
  /// As the hunting build tells it.
  var row: String { "\(name)|\(guarantee)|\(history)|\(steps)" }

  /// As people read it.
  var line: String {
    isKilled
      ? "planted: \(name) killed by \(guarantee) in history \(history), shown in \(steps) steps"
      : "planted: \(name) SURVIVED"
  }

  init(name: String, guarantee: String, history: Int, steps: Int) {
    self.name = name
    self.guarantee = guarantee
    self.history = history
    self.steps = steps
  }

  init?(row: Substring) {
    let cells = row.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard cells.count == 4, let history = Int(cells[2]), let steps = Int(cells[3]) else {
      return nil
    }
    self.init(name: cells[0], guarantee: cells[1], history: history, steps: steps)
  }

  /// Lets the planted build hunt; nothing where there is none.
  ///
  /// - Parameters:
  ///   - program: The planted build.
  ///   - seed: The first seed.
  ///   - parts: How many processes hunt side by side.
  /// - Returns: What became of each bug, or why nobody hunted.
  static func all(
    _ program: String?, seed: UInt64, parts: Int
  ) -> Result<[Quarry], Refusal> {
    guard let program else { return .success([]) }
    var hunts: [(process: Process, pipe: Pipe)] = []
    for part in 0..<parts {
      let process = Process()
      process.executableURL = URL(filePath: program)
      process.arguments = [
        "--hunt", "--seed", "\(seed)", "--part", "\(part)", "--parts", "\(parts)",
      ]
      let pipe = Pipe()
      process.standardOutput = pipe
      do {
        try process.run()
      } catch {
        return .failure(Refusal(text: "\(program) cannot be started; build it with -D PLANTED"))
      }
      hunts.append((process, pipe))
    }
    var quarries: [Quarry] = []
    for (process, pipe) in hunts {
      let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let found = text.split(separator: "\n").compactMap { Quarry(row: $0) }
      guard process.terminationStatus == 0, !found.isEmpty else {
        return .failure(Refusal(text: "\(program) did not hunt; build it with -D PLANTED"))
      }
      quarries += found
    }
    return .success(quarries.sorted { $0.name < $1.name })
  }
}

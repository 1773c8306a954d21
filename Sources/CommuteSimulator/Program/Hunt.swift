import Foundation

/// The hunt for planted bugs: each must be caught by a promise, or the promises are worth nothing.
struct Hunt {
  let output: Output
  let seed: UInt64
  /// How many histories a bug may survive.
  let patience: Int

  /// Why there was no hunt.
  struct Refusal: Error {
    var message: String
  }

  /// Lets the planted build hunt, in a process of its own.
  func quarries(with program: String) throws(Refusal) -> [Quarry] {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = ["--hunt", "--seed", "\(seed)", "--patience", "\(patience)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    do {
      try process.run()
    } catch {
      throw Refusal(message: "\(program) cannot be started; build it with -D PLANTED")
    }
    output.progress("hunting planted bugs")
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    output.endProgress()
    guard process.terminationStatus == 0 else {
      throw Refusal(message: "the hunt ended with status \(process.terminationStatus)")
    }
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    let quarries = lines.compactMap { Quarry(row: String($0)) }
    guard !quarries.isEmpty else {
      throw Refusal(message: "\(program) knows no planted bugs; build it with -D PLANTED")
    }
    return quarries
  }
}

#if PLANTED
  import CommuteCore

  extension Hunt {
    /// Plants one bug after the other and plays histories until a promise breaks.
    func run(only name: String?) {
      let stage = Stage()
      for bug in Planted.allCases where name == nil || name == bug.rawValue {
        output.progress("hunting \(bug.rawValue)")
        // One thread only: the bug is set before the histories that it is in.
        unsafe Planted.active = bug
        let story = name.map { _ in Story() }
        let quarry = quarry(bug, on: stage, story: story)
        for line in story?.lines ?? [] { output.complain(line) }
        output.say(quarry.row)
      }
      unsafe Planted.active = nil
      output.endProgress()
    }

    private func quarry(_ bug: Planted, on stage: Stage, story: Story?) -> Quarry {
      for index in 1...max(1, patience) {
        let history = History(seed: seed + UInt64(index) - 1)
        let world = history.played(on: stage)
        guard let violation = world.violation else { continue }
        // What breaks without the bug, too, says nothing about it.
        unsafe Planted.active = nil
        let isHealthy = history.played(on: stage).violation == nil
        unsafe Planted.active = bug
        guard isHealthy else { continue }
        let start = Output.processorTime()
        var shrinker = Shrinker(history, on: stage, invariant: violation.invariant)
        let choices = shrinker.shrink(world.choices.drawn)
        let milliseconds = Int((Output.processorTime() - start) * 1_000)
        let short = history.play(Choices(playing: choices), on: stage, story: story)
        return Quarry(
          name: bug.rawValue, invariant: violation.invariant, history: index,
          writes: short.report.writes, milliseconds: milliseconds,
          text: short.violation?.text ?? violation.text)
      }
      return Quarry(
        name: bug.rawValue, invariant: nil, history: patience, writes: 0, text: "")
    }
  }
#endif

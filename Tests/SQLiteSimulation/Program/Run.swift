import Foundation
import Synchronization

/// A run of the program.
struct Run {
  let options: Options
  let output = Output()

  init(_ options: Options) {
    self.options = options
  }

  /// Does what was asked; gives the exit status.
  func perform() async -> Int32 {
    switch options.mode {
    case .help:
      output.say(Options.help)
      return 0
    case .simulate: return await simulate()
    case .work: return await inPlace { place in await work(at: place) }
    case .replay(let seed): return await inPlace { place in await replay(seed, at: place) }
    case .hunt: return await inPlace { place in await hunt(at: place) }
    }
  }

  /// Gives a folder for files and puts the layer that fails below SQLite.
  private func inPlace(_ body: (String) async -> Int32) async -> Int32 {
    guard FaultLayer.install() else {
      output.complain("simulate-sqlite: SQLite takes no file layer; check its version")
      return 2
    }
    // Nothing is synced, and nothing outlives the run: memory will do.
    let memory = FileManager.default.isWritableFile(atPath: "/dev/shm")
    let root = memory ? "/dev/shm" : FileManager.default.temporaryDirectory.path()
    let place = "\(root)/commute-sqlite-\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: place) }
    return await body(place)
  }

  // MARK: - Histories

  private func work(at place: String) async -> Int32 {
    var seed = options.seed
    for _ in 0..<options.histories {
      let outcome = await History(seed: seed, place: place).play()
      var row = Row(outcome)
      if seed % 50 == 0, row.breach == nil {
        let again = await History(seed: seed, place: place).play()
        if again.report.trace != outcome.report.trace {
          row.breach = Breach(promise: .trace, text: "the same seed played twice went two ways")
        }
      }
      output.say(row.line)
      seed += UInt64(options.jobs)
    }
    return 0
  }

  private func replay(_ seed: UInt64, at place: String) async -> Int32 {
    plant(options.quarry)
    let story = Story()
    let outcome = await History(seed: seed, place: place).play(story: story)
    for line in story.lines { output.say(line) }
    output.say(
      "replay: seed \(seed), \(outcome.report.writes) writes, \(outcome.report.checks) integrity"
        + " checks, trace \(outcome.report.trace)")
    guard let breach = outcome.breach else {
      output.say("replay: every promise was kept")
      return 0
    }
    output.say("replay: \(breach.promise.rawValue): \(breach.text)")
    return 1
  }

  private func simulate() async -> Int32 {
    let begun = ContinuousClock.now
    let team = Team(output: output, options: options)
    var summary = await team.play()
    let spent = ContinuousClock.now - begun
    summary.seconds = Double(spent.components.seconds) + Double(spent.components.attoseconds) / 1e18
    for row in summary.findings {
      output.complain(
        "simulate-sqlite: seed \(row.seed) breaks \(row.breach?.promise.rawValue ?? ""):"
          + " \(row.breach?.text ?? ""); see it again with --replay \(row.seed)")
    }
    if let planted = options.planted {
      guard let hunted = await team.hunt(with: planted), !hunted.isEmpty else {
        output.complain("simulate-sqlite: \(planted) plants no bugs; build it with -D PLANTED")
        return 2
      }
      summary.hunted = hunted
    }
    if options.isJSON {
      output.say(summary.json)
    } else {
      for line in summary.lines { output.say(line) }
    }
    return summary.isGood ? 0 : 1
  }
}

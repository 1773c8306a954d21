import CommuteSQLite

/// Plays histories: from a seed, or from a list of choices, one after another.
final class Player {
  /// What came of it.
  struct Outcome {
    var violation: QueueWorld.Violation?
    var drawn: [UInt32]
    var steps: Int
    var tasks: Int
    var faults: [FaultClass: Int]
    var story: [String]
  }

  /// The file of the last history, where it ended well.
  private var file: Connection?

  /// Plays a history.
  func play(_ draws: Draws, telling: Bool = false) -> Outcome {
    do {
      let connection = try file ?? QueueWorld.file()
      file = nil
      let world = try QueueWorld(draws, on: connection)
      if telling { world.story = [] }
      var violation: QueueWorld.Violation?
      do {
        try world.play()
        file = connection
      } catch let found as QueueWorld.Violation {
        violation = found
      } catch {
        violation = QueueWorld.Violation(guarantee: "G21", text: "\(error)")
      }
      return Outcome(
        violation: violation, drawn: world.draws.drawn, steps: world.steps,
        tasks: world.enqueued, faults: world.faults, story: world.story ?? [])
    } catch {
      return Outcome(
        violation: QueueWorld.Violation(guarantee: "G1", text: "no world: \(error)"), drawn: [],
        steps: 0, tasks: 0, faults: [:], story: [])
    }
  }

  /// Leaves out choices as long as the same guarantee is broken.
  func shrink(_ choices: [UInt32], _ guarantee: String) -> [UInt32] {
    var best = choices
    var size = best.count / 2
    var tries = 0
    while size > 0, tries < 300 {
      var start = 0
      var isShorter = false
      while start < best.count, tries < 300 {
        var candidate = best
        candidate.removeSubrange(start..<min(best.count, start + size))
        tries += 1
        let outcome = play(Draws(playing: candidate))
        if outcome.violation?.guarantee == guarantee {
          best = candidate
          isShorter = true
        } else {
          start += size
        }
      }
      if !isShorter || size > best.count { size /= 2 }
    }
    return best
  }
}

import Foundation

/// A history by its seed, played in a folder of its own.
struct History {
  let seed: UInt64
  /// Where its files lie while it is played.
  let place: String

  /// What became of a history.
  struct Outcome: Sendable {
    var seed: UInt64
    var report: Report
    var breach: Breach?
  }

  /// Plays the history; its files are gone afterwards.
  func play(story: Story? = nil) async -> Outcome {
    let folder = "\(place)/\(seed)"
    FaultLayer.watch("\(folder)/")
    defer {
      try? FileManager.default.removeItem(atPath: folder)
      FaultLayer.watch("\(place)/")
    }
    let world = SQLiteWorld(seed: seed, folder: folder, story: story)
    var breach: Breach?
    do {
      try await world.run()
    } catch let found as Breach {
      breach = found
    } catch {
      breach = Breach(promise: .trap, text: "\(error)")
    }
    FaultLayer.disarm()
    for device in world.devices { await device.close() }
    return Outcome(seed: seed, report: world.report, breach: breach)
  }
}

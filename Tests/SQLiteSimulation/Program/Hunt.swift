#if PLANTED
  import CommuteStore
#endif

/// The hunt for planted bugs: each must be caught by a promise, or the promises are worth nothing.
extension Run {
  func hunt(at place: String) async -> Int32 {
    #if PLANTED
      for (index, bug) in PlantedStore.allCases.enumerated() {
        let isOurs = index % options.jobs == options.share
        guard options.quarry.map({ $0 == bug.rawValue }) ?? isOurs else { continue }
        output.progress("hunting \(bug.rawValue)")
        let quarry = await quarry(bug, at: place)
        output.say(quarry.line)
      }
      return 0
    #else
      output.complain("simulate-sqlite: this build plants no bugs; build it with -D PLANTED")
      return 2
    #endif
  }

  /// Sets the bug of a name, where there are any.
  func plant(_ name: String?) {
    #if PLANTED
      PlantedStore.active = name.flatMap { PlantedStore(rawValue: $0) }
    #endif
  }
}

#if PLANTED
  extension Run {
    private func quarry(_ bug: PlantedStore, at place: String) async -> Summary.Quarry {
      for index in 1...max(1, options.patience) {
        let history = History(seed: options.seed + UInt64(index) - 1, place: place)
        PlantedStore.active = bug
        let outcome = await history.play()
        PlantedStore.active = nil
        guard let breach = outcome.breach else { continue }
        // What breaks without the bug, too, says nothing about it.
        guard await history.play().breach == nil else { continue }
        return Summary.Quarry(
          name: bug.rawValue, promise: breach.promise, history: index, text: breach.text)
      }
      return Summary.Quarry(
        name: bug.rawValue, promise: nil, history: options.patience, text: "")
    }
  }
#endif

extension Summary.Quarry {
  /// The row that the planted build prints for the other one to read.
  var line: String {
    let cells = ["quarry", name, promise?.rawValue ?? "-", "\(history)"]
    return (cells + [text.split(separator: "\t").joined(separator: " ")]).joined(separator: "\t")
  }

  /// Reads a row; nil for any other line.
  init?(line: some StringProtocol) {
    let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard cells.count == 5, cells[0] == "quarry", let history = Int(cells[3]) else { return nil }
    self.init(
      name: String(cells[1]), promise: Breach.Promise(rawValue: String(cells[2])),
      history: history, text: String(cells[4]))
  }
}

/// What a run came to.
struct SoakReport: Sendable {
  var plan: SoakPlan
  var tasks: Int
  var kills: Int
  var stops: Int
  var steps: Int
  var repeated: Int
  var crashes: Int
  var seconds: Double
  var verdict: SoakLedger.Verdict

  /// Whether nothing was found.
  var isClean: Bool {
    verdict.lost == 0 && verdict.doubled == 0 && verdict.innocent == 0 && verdict.faults.isEmpty
  }

  /// The report for people; the last line is the one that counts.
  var lines: [String] {
    verdict.faults.map { "fault: \($0)" }
      + (isClean ? [] : ["the same choices again: --seed \(plan.seed)"])
      + [
        "soak: seed \(plan.seed), \(stops) stops, \(steps) clock steps, disk full once, "
          + "\(crashes) crashes charged, \(repeated) remote calls repeated with their key, "
          + "\(Int(seconds)) s",
        "soak: \(tasks) tasks, \(plan.graphs) graphs, \(kills) kills, \(verdict.lost) lost, "
          + "\(verdict.doubled) doubled, \(verdict.innocent) innocent",
      ]
  }

  /// The report for programs.
  var json: String {
    "{\"seed\":\(plan.seed),\"tasks\":\(tasks),\"graphs\":\(plan.graphs),\"kills\":\(kills),"
      + "\"stops\":\(stops),\"clockSteps\":\(steps),\"lost\":\(verdict.lost),"
      + "\"doubled\":\(verdict.doubled),\"innocent\":\(verdict.innocent),"
      + "\"faults\":\(verdict.faults.count),\"repeated\":\(repeated),\"seconds\":\(Int(seconds))}"
  }
}

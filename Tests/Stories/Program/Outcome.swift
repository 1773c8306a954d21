/// A story as it came out with both designs.
struct Outcome: Sendable {
  var story: Story
  var naive: Telling
  var ours: Telling

  /// What the naive design is said to lose and did not.
  var unfulfilled: [Loss.Kind] {
    let found = Set(naive.losses.map(\.kind))
    return story.naiveLosses.subtracting(found).sorted { $0.rawValue < $1.rawValue }
  }
}

/// All stories as they came out.
struct Report: Sendable {
  var outcomes: [Outcome]
  /// The defence that was missing.
  var without: Defence?

  var lostByNaive: Int { outcomes.count { !$0.naive.losses.isEmpty } }
  var lostByOurs: [Outcome] { outcomes.filter { !$0.ours.losses.isEmpty } }

  /// What is wrong beside what the table shows.
  var complaints: [String] {
    var complaints = outcomes.flatMap { outcome in
      outcome.unfulfilled.map {
        "the naive design does not lose what it is said to lose in “\(outcome.story.name)”: \($0)"
      }
    }
    if let without {
      let lost = Set(lostByOurs.map(\.story.number))
      for number in without.stories.subtracting(lost).sorted() {
        complaints.append("story \(number) is not lost without the \(without.rawValue)")
      }
    }
    return complaints
  }

  /// How the program ends: 1 where ours lost something, 2 where something else is wrong.
  var code: Int32 {
    if !lostByOurs.isEmpty { return 1 }
    return complaints.isEmpty && lostByNaive == outcomes.count ? 0 : 2
  }

  /// The last line.
  var summary: String {
    var line = "stories: \(outcomes.count) told, \(lostByNaive) lost by the naive design,"
    line += " \(lostByOurs.count) by ours"
    if let without { line += " without its \(without.rawValue)" }
    let names = lostByOurs.map(\.story.name)
    return names.isEmpty ? line : line + ": " + names.joined(separator: ", ")
  }
}

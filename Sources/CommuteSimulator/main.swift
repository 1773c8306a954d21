let stage = Stage()
let arguments = CommandLine.arguments
let count = Int(arguments[1]) ?? 1
let first = UInt64(arguments[2]) ?? 1
var found: [Int: Int] = [:]
var total = Report()
for index in 0..<count {
  let history = History(seed: first + UInt64(index))
  let world = history.played(on: stage)
  total.steps += world.report.steps
  total.writes += world.report.writes
  total.devices += world.report.devices
  for i in total.faults.indices { total.faults[i] += world.report.faults[i] }
  for i in total.marks.indices { total.marks[i] += world.report.marks[i] }
  if let v = world.violation, !v.isKnownLimit {
    found[v.invariant, default: 0] += 1
    if found[v.invariant] == 1 {
      print("seed \(history.seed): invariant \(v.invariant): \(v.text)")
      var shrinker = Shrinker(history, on: stage, invariant: v.invariant)
      let best = shrinker.shrink(world.choices.drawn)
      let story = Story()
      let again = history.play(Choices(playing: best), on: stage, story: story)
      for line in story.lines { print("  ", line) }
      print("  => \(again.violation?.invariant ?? 0) \(again.violation?.text ?? "")")
    }
  }
}
print(found)
print(total.steps, total.writes, total.devices, total.faultCount)
for f in FaultClass.allCases { print(f.name, total.faults[f.rawValue]) }
for f in Mark.allCases { print(f.name, total.marks[f.rawValue]) }

// Prints how many tasks of Swift's pool compute at a time here.
import Synchronization

let active = Atomic(0)
let most = Atomic(0)
await withTaskGroup(of: Void.self) { group in
  for _ in 0..<16 {
    group.addTask {
      let now = active.add(1, ordering: .sequentiallyConsistent).newValue
      most.max(now, ordering: .sequentiallyConsistent)
      var sum: UInt64 = 1
      for number in 0..<20_000_000 as Range<UInt64> { sum = sum &* 31 &+ number }
      // What was computed has to be wanted, or nothing is.
      if sum == 0 { print("zero") }
      active.subtract(1, ordering: .sequentiallyConsistent)
    }
  }
}
print(most.load(ordering: .sequentiallyConsistent))

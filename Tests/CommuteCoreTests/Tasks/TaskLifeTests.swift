import CommuteCore
import CommuteTestKit
import Testing

@Suite struct TaskLifeTests {
  private func running(_ change: (inout TaskLife) -> Void = { _ in }) -> TaskLife {
    var life = TaskLife(now: 1_000)
    life.claim()
    life.hasStarted = true
    change(&life)
    return life
  }

  @Test func `a task is ready, or scheduled where its time has not come`() {
    #expect(TaskLife(now: 1_000).state == .ready)
    #expect(TaskLife(now: 1_000, due: 1_000).state == .ready)
    #expect(TaskLife(now: 1_000, due: 1_001).state == .scheduled)
    #expect(TaskLife(now: 1_000, due: 1_001, isBlocked: true).state == .blocked)
    #expect(TaskLife(now: 1_000, due: 500).rank == 31_000)
    #expect(TaskLife(now: 1_000, urgency: .interactive).rank == 1_000)
    #expect(TaskLife(now: 1_000, due: .max, urgency: .background).rank == .max)
  }

  @Test func `each ending moves its own counter and no other`() {
    func counters(_ ending: TaskLife.Ending) -> [UInt32] {
      var life = running()
      life.end(ending, now: 2_000, draw: 0)
      return [UInt32(life.attempt), life.failures, life.crashes, life.interruptions]
    }
    for ending: TaskLife.Ending in [.done, .fail, .park, .handOff, .wait(signals: 4)] {
      #expect(counters(ending) == [1, 0, 0, 0])
    }
    #expect(counters(.retry(after: nil)) == [1, 1, 0, 0])
    #expect(counters(.timedOut) == [1, 1, 0, 0])
    #expect(counters(.ownerDied) == [1, 0, 1, 0])
    #expect(counters(.interrupted) == [1, 0, 0, 1])
  }

  @Test func `each ending leads to its state`() {
    func state(_ ending: TaskLife.Ending) -> TaskState {
      var life = running()
      life.end(ending, now: 2_000, draw: 0)
      return life.state
    }
    #expect(state(.done) == .succeeded)
    #expect(state(.fail) == .failed)
    #expect(state(.park) == .parked)
    #expect(state(.handOff) == .external)
    #expect(state(.wait(signals: 1)) == .ready)
    #expect(state(.retry(after: nil)) == .scheduled)
    #expect(state(.timedOut) == .scheduled)
    #expect(state(.ownerDied) == .ready)
    #expect(state(.interrupted) == .ready)
  }

  @Test func `what is not running cannot end`() {
    for state in TaskState.allCases where state != .running && state != .external {
      var life = running { $0.state = state }
      let before = life
      #expect(life.end(.done, now: 2_000, draw: 0) == nil)
      #expect(life == before)
    }
  }

  @Test func `the third crash is poison, one before the handler had started is none`() {
    var life = TaskLife(now: 0)
    for count: UInt32 in 1...3 {
      life.claim()
      life.end(.ownerDied, now: 0, draw: 0)
      life.claim()
      life.hasStarted = true
      let failure = life.end(.ownerDied, now: 0, draw: 0)
      #expect(life.crashes == count)
      #expect(life.interruptions == count)
      #expect(failure == (count == 3 ? .poison : nil))
    }
    #expect(life.state == .failed)
  }

  @Test func `the failure that reaches the limit is the last`() {
    var life = TaskLife(now: 0, retry: RetryPolicy(failureLimit: 2))
    life.claim()
    #expect(life.end(.timedOut, now: 0, draw: 0) == nil)
    life.claim()
    #expect(life.end(.timedOut, now: 0, draw: 0) == .timedOut)
    #expect(life.state == .failed)
    var other = TaskLife(now: 0, retry: RetryPolicy(failureLimit: 1))
    other.claim()
    #expect(other.end(.retry(after: 5), now: 0, draw: 0) == .retriesSpent)
  }

  @Test func `a delay asked for is a lower bound and never overflows`() {
    var life = running()
    life.end(.retry(after: 50_000), now: 2_000, draw: .max)
    #expect(life.due == 52_000)
    #expect(life.delay == 50_000)
    var far = running()
    far.end(.retry(after: .max), now: .max - 5, draw: 0)
    #expect(far.due == .max)
  }

  @Test func `a task taken back while it runs is cancelled, unless it is done`() {
    var life = running()
    life.cancel()
    #expect(life.state == .running)
    var done = life
    done.end(.done, now: 0, draw: 0)
    #expect(done.state == .succeeded)
    for ending: TaskLife.Ending in [.fail, .park, .interrupted, .ownerDied, .retry(after: nil)] {
      var other = life
      other.end(ending, now: 0, draw: 0)
      #expect(other.state == .cancelled)
    }
    var waiting = TaskLife(now: 0)
    waiting.cancel()
    #expect(waiting.state == .cancelled)
    var over = done
    over.cancel()
    #expect(over.state == .succeeded)
  }

  @Test func `what is over or parked is tried again with a fresh budget`() {
    for state in TaskState.allCases {
      var life = running { life in
        life.state = state
        life.failures = 3
        life.crashes = 2
        life.expires = 5
      }
      let isRevived = life.revive(now: 9_000)
      #expect(
        isRevived == [.failed, .cancelled, .skipped, .expired, .parked].contains(state))
      guard isRevived else { continue }
      #expect(life.state == .ready)
      #expect(life.failures == 0)
      #expect(life.crashes == 0)
      #expect(life.expires == nil)
      #expect(life.due == 9_000)
    }
    var skipped = running { $0.state = .skipped }
    _ = skipped.revive(now: 0, isBlocked: true)
    #expect(skipped.state == .blocked)
  }

  @Test func `a clock that is set moves delays and nothing else`() {
    var relative = TaskLife(now: 1_000, due: 61_000, delay: 60_000)
    relative.shift(by: -500)
    #expect(relative.due == 60_500)
    relative.clamp(now: 100)
    #expect(relative.due == 60_100)
    relative.clamp(now: 50_000)
    #expect(relative.due == 60_100)
    var absolute = TaskLife(now: 1_000, due: 61_000)
    absolute.shift(by: 7)
    absolute.clamp(now: 0)
    #expect(absolute.due == 61_000)
    relative.shift(by: .max)
    #expect(relative.due == 60_100)
  }

  @Test func `G22 a delay is between half and all of its ceiling`() {
    var random = SeededGenerator(seed: 22)
    for _ in 0..<10_000 {
      let policy = Backoff(
        firstDelay: random.next() >> UInt64(random.draw(64)),
        growthPercent: UInt64(random.draw(500)),
        delayLimit: random.next() >> UInt64(random.draw(64)), leastDelay: 0, jitter: .equal)
      let failures = UInt32(random.draw(40))
      let ceiling = policy.ceiling(afterFailures: failures)
      let delay = policy.delay(afterFailures: failures, draw: random.next())
      #expect(ceiling <= policy.delayLimit)
      #expect(delay >= ceiling / 2)
      #expect(delay <= ceiling)
      #expect(policy.delay(afterFailures: failures, draw: 5, atLeast: ceiling + 1) > ceiling)
    }
    let usual = RetryPolicy().backoff
    #expect(
      (1...5).map { usual.ceiling(afterFailures: $0) } == [2_000, 4_000, 8_000, 16_000, 32_000])
    #expect(usual.ceiling(afterFailures: 0) == 2_000)
    #expect(usual.ceiling(afterFailures: .max) == 900_000)
    #expect(usual.delay(afterFailures: 1, draw: 0) == 1_000)
    #expect(usual.delay(afterFailures: 1, draw: .max) == 2_000)
    let constant = Backoff(firstDelay: 10, growthPercent: 100, delayLimit: 99)
    #expect(constant.ceiling(afterFailures: .max) == 10)
  }
}

@Suite struct GraphPlanTests {
  @Test func `nodes stand after those they come after`() throws {
    var random = SeededGenerator(seed: 36)
    for _ in 0..<500 {
      let count = 1 + random.draw(12)
      var nodes: [(name: String, after: [String])] = []
      for number in 0..<count {
        let after = (0..<random.draw(4)).map { _ in "\(random.draw(count))" }
        nodes.append((name: "\(number)", after: after))
      }
      do throws(GraphPlan.Fault) {
        let plan = try GraphPlan(nodes)
        #expect(Set(plan.order) == Set(nodes.map(\.name)))
        for (place, parents) in plan.parents.enumerated() {
          let node = nodes.first { $0.name == plan.order[place] }
          #expect(parents.allSatisfy { $0 < place })
          #expect(Set(parents.map { plan.order[$0] }) == Set(node?.after ?? []))
          #expect(Set(parents).count == parents.count)
        }
      } catch {
        // The path is one: each waits for the one before it, and the first for the last.
        guard case .cycle(let path) = error else {
          Issue.record("\(error)")
          continue
        }
        for (place, name) in path.enumerated() {
          let before = path[(place + path.count - 1) % path.count]
          let node = nodes.first { $0.name == name }
          #expect(node?.after.contains(before) == true, "\(path)")
        }
      }
    }
  }

  @Test func `a join decides by what its parents came to`() {
    for total in 1...4 {
      for left in 0...total {
        for bad in 0...(total - left) {
          let good = total - left - bad
          func verdict(_ rule: JoinRule) -> JoinRule.Verdict {
            rule.verdict(total: total, left: left, bad: bad)
          }
          #expect(verdict(.allSucceeded) == (bad > 0 ? .skip : left == 0 ? .release : .wait))
          #expect(verdict(.allFinished) == (left == 0 ? .release : .wait))
          #expect(verdict(.anySucceeded) == (good > 0 ? .release : left == 0 ? .skip : .wait))
        }
      }
    }
  }
}

import CommuteCore
import CommuteTestKit
import Testing

@Suite struct ConnectivityTests {
  private let up = Connectivity.Event.path(Connectivity.Path(isSatisfied: true))
  private let down = Connectivity.Event.path(Connectivity.Path(isSatisfied: false))

  @Test func `G31 nothing is known at first, and that is not online`() {
    let network = Connectivity()
    #expect(network.state == .unknown)
    #expect(!network.isOnline)
  }

  @Test func `G32 only the server's echo makes it online`() {
    for (verdict, state): (Connectivity.Verdict, Connectivity.State) in [
      (.reachable, .online), (.captive, .captive), (.unreachable, .suspect),
    ] {
      var network = Connectivity()
      _ = network.hear(up, now: 0, draw: 0)
      #expect(network.hear(.demand(true), now: 2_000, draw: 0) == [.probe])
      _ = network.hear(.probed(verdict), now: 2_100, draw: 0)
      #expect(network.state == state)
    }
  }

  @Test func `G33 a way must stand for two seconds, and is gone at once`() {
    var network = Connectivity()
    _ = network.hear(.demand(true), now: 0, draw: 0)
    _ = network.hear(.probed(.unreachable), now: 0, draw: 0)
    #expect(network.hear(up, now: 10_000, draw: 0) == [.wake(at: 12_000)])
    #expect(network.hear(.timer, now: 11_999, draw: 0) == [.wake(at: 12_000)])
    #expect(network.hear(.timer, now: 12_000, draw: 0) == [.probe])
    #expect(network.hear(.probed(.reachable), now: 12_050, draw: 0) == [.changed])
    #expect(network.isOnline)
    #expect(network.hear(down, now: 12_060, draw: 0) == [.changed])
    #expect(network.state == .offline)
  }

  @Test func `G33 flapping brings nobody online, and then it does once`() {
    var network = Connectivity()
    _ = network.hear(.demand(true), now: 0, draw: 0)
    _ = network.hear(.probed(.unreachable), now: 0, draw: 0)
    var online = 0
    var time: Int64 = 1_000
    for _ in 0..<100 {
      for event in [up, down] {
        time += 50
        let effects = network.hear(event, now: time, draw: 0)
        if effects.contains(.probe) {
          _ = network.hear(.probed(.reachable), now: time, draw: 0)
        }
        if network.isOnline { online += 1 }
      }
    }
    #expect(online == 0)
    _ = network.hear(up, now: time, draw: 0)
    #expect(network.hear(.timer, now: time + 2_000, draw: 0) == [.probe])
    #expect(network.hear(.probed(.reachable), now: time + 2_010, draw: 0) == [.changed])
  }

  @Test func `G34 nobody is asked while nothing waits, and failed probes back off`() {
    var network = Connectivity()
    #expect(network.hear(up, now: 0, draw: 0).isEmpty)
    #expect(network.hear(.timer, now: 100_000, draw: 0).isEmpty)
    #expect(network.hear(.demand(true), now: 100_000, draw: 0) == [.probe])
    var time: Int64 = 100_000
    var delays: [Int64] = []
    for _ in 0..<12 {
      let effects = network.hear(.probed(.unreachable), now: time, draw: .max)
      guard
        case .wake(let next)? = effects.first(where: { if case .wake = $0 { true } else { false } })
      else {
        Issue.record("\(effects)")
        return
      }
      delays.append(next - time)
      #expect(network.hear(.timer, now: next - 1, draw: 0) == [.wake(at: next)])
      time = next
      #expect(network.hear(.timer, now: time, draw: 0) == [.probe])
    }
    #expect(delays == delays.sorted())
    #expect(delays.first == 2_000)
    #expect(delays.last == 300_000)
    _ = network.hear(.probed(.unreachable), now: time, draw: 0)
    _ = network.hear(.demand(false), now: time, draw: 0)
    #expect(network.hear(.timer, now: time + 1_000_000, draw: 0).isEmpty)
  }

  @Test func `G35 traffic is evidence`() {
    var network = Connectivity()
    _ = network.hear(up, now: 0, draw: 0)
    #expect(network.hear(.requestSucceeded, now: 5, draw: 0) == [.changed])
    #expect(network.isOnline)
    #expect(network.hear(.connectFailed, now: 9_000, draw: 0) == [.changed])
    #expect(network.state == .suspect)
    #expect(network.hear(.demand(true), now: 9_000, draw: 0) == [.probe])
  }

  @Test func `a probe on a way that has gone says nothing`() {
    var network = Connectivity()
    _ = network.hear(up, now: 0, draw: 0)
    #expect(network.hear(.demand(true), now: 5_000, draw: 0) == [.probe])
    _ = network.hear(down, now: 5_001, draw: 0)
    _ = network.hear(.probed(.reachable), now: 5_002, draw: 0)
    #expect(network.state == .offline)
    _ = network.hear(up, now: 6_000, draw: 0)
    #expect(network.state != .online)
  }

  @Test func `whatever is heard, one probe is under way at most and online needs evidence`() {
    var random = SeededGenerator(seed: 35)
    for _ in 0..<2_000 {
      var network = Connectivity()
      var isProbing = false
      var time: Int64 = 0
      for _ in 0..<60 {
        time += Int64(random.draw(4_000))
        let before = network
        let event: Connectivity.Event
        switch random.draw(8) {
        case 0: event = up
        case 1: event = down
        case 2 where isProbing: event = .probed(.reachable)
        case 3 where isProbing: event = .probed(random.draw(2) == 0 ? .captive : .unreachable)
        case 4: event = .requestSucceeded
        case 5: event = .connectFailed
        case 6: event = .demand(random.draw(2) == 0)
        default: event = .timer
        }
        if case .probed = event { isProbing = false }
        let effects = network.hear(event, now: time, draw: random.next())
        if effects.contains(.probe) {
          #expect(!isProbing)
          isProbing = true
        }
        if network.isOnline, !before.isOnline {
          #expect(event == .probed(.reachable) || event == .requestSucceeded)
        }
        if event == down { #expect(!network.isOnline) }
        #expect(
          effects.contains(.changed)
            == (network.state != before.state
              || network.isOnline && network.path != before.path))
      }
    }
  }
}

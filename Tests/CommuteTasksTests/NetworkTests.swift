import CommuteCore
import CommuteStore
import CommuteTasks
import Foundation
import Synchronization
import Testing

/// The network as the queue goes by it.
@Suite struct NetworkTests {
  let workshop: Workshop
  let source = GivenPathSource()
  let prober = ScriptedProber()
  let alarm = Alarm()

  init() throws { workshop = try Workshop() }

  private func monitor() -> ConnectivityMonitor {
    ConnectivityMonitor(
      source: source, prober: prober, clock: workshop.clock.clock,
      sleep: { [alarm] in try await alarm.wait($0) })
  }

  private func until(_ condition: () async throws -> Bool) async rethrows {
    while try await !condition(), !Task.isCancelled { await Task.yield() }
  }

  private static let onNetwork: EnqueueOptions = {
    var options = EnqueueOptions()
    options.policy = TaskPolicy()
    options.policy?.requires = .network
    return options
  }()

  @Test func `G34 nobody is asked before a task waits for the network, and then it runs`()
    async throws
  {
    let (_, queue) = try await workshop.open()
    let monitor = monitor()
    let following = Task { await queue.follow(monitor) }
    let running = Task { try await queue.run() }
    source.tell(Connectivity.Path(isSatisfied: true))
    await until { monitor.connectivity.path != nil }
    workshop.clock.pass(60_000)
    try await queue.enqueue(Job(word: "local"))
    await until { workshop.done == ["local 1"] }
    #expect(prober.count == 0)
    try await queue.enqueue(Job(word: "remote"), Self.onNetwork)
    await until { workshop.done.count == 2 }
    #expect(workshop.done == ["local 1", "remote 1"])
    #expect(prober.count == 1)
    following.cancel()
    running.cancel()
    _ = await running.result
  }

  @Test func `G33 a hundred flips start nothing, and what stands then starts it once`() async throws
  {
    let (_, queue) = try await workshop.open()
    let monitor = monitor()
    try await queue.enqueue(Job(), Self.onNetwork)
    source.tell(Connectivity.Path(isSatisfied: false))
    let following = Task { await queue.follow(monitor) }
    await until { monitor.connectivity.state == .offline }
    let running = Task { try await queue.run() }
    for flip in 1...100 {
      workshop.clock.pass(100)
      let path = Connectivity.Path(isSatisfied: flip % 2 == 0)
      source.tell(path)
      await until { monitor.connectivity.path == path }
      alarm.wake()
    }
    #expect(prober.count == 0)
    #expect(workshop.done.isEmpty)
    await until { alarm.count > 0 }
    workshop.clock.pass(2_000)
    alarm.wake()
    await until { workshop.done == ["done 1"] }
    #expect(prober.count == 1)
    following.cancel()
    running.cancel()
    _ = await running.result
  }

  @Test func `a task that finds the network gone has the server asked again`() async throws {
    let store = try workshop.store()
    var handlers = Handlers()
    handlers.on(Job.self) { [workshop] _, context in
      workshop.log.withLock { $0.append("\(context.attempt)") }
      return context.attempt == 1 ? .wait(for: .network, because: "refused") : .done
    }
    let queue = try await TaskQueue(store, handlers, settings: workshop.settings)
    let monitor = monitor()
    source.tell(Connectivity.Path(isSatisfied: true))
    monitor.note(.requestSucceeded)
    try await queue.enqueue(Job(), Self.onNetwork)
    let following = Task { await queue.follow(monitor) }
    let running = Task { try await queue.run() }
    await until { workshop.done == ["1", "2"] || alarm.count > 0 }
    workshop.clock.pass(2_000)
    alarm.wake()
    await until { workshop.done == ["1", "2"] }
    #expect(prober.count == 1)
    following.cancel()
    running.cancel()
    _ = await running.result
  }

  #if os(Linux)
    @Test func `the kernel says when an interface comes up`() async throws {
      // A network of its own, in which nothing is up; it takes root, as the other tests do that
      // make one.
      let (paths, mouth) = AsyncStream.makeStream(of: Connectivity.Path.self)
      let (goOn, go) = AsyncStream.makeStream(of: Void.self)
      let isAlone = await withCheckedContinuation { continuation in
        let thread = Thread {
          let isAlone = Namespace.leaveNetwork()
          continuation.resume(returning: isAlone)
          guard isAlone else { return }
          let stream = NetlinkPathSource(countsLoopback: true).paths()
          Task {
            for await path in stream { mouth.yield(path) }
            mouth.finish()
          }
          Namespace.wait(for: goOn)
          Namespace.bringLoopbackUp()
        }
        thread.start()
      }
      try #require(isAlone, "run the tests as root, or in `unshare -rn`")
      var seen = paths.makeAsyncIterator()
      #expect(await seen.next() == Connectivity.Path(isSatisfied: false))
      go.yield()
      #expect(await seen.next() == Connectivity.Path(isSatisfied: true))
    }
  #endif
}

/// Says what a test wants it to, and counts.
final class ScriptedProber: Prober {
  private let asked = Mutex(0)

  var count: Int { asked.withLock { $0 } }

  func probe(limit: Duration) async -> Connectivity.Verdict {
    asked.withLock { $0 += 1 }
    return .reachable
  }
}

/// Waits that end when a test says so.
final class Alarm: Sendable {
  private let gates = Mutex<[Gate]>([])

  var count: Int { gates.withLock { $0.count } }

  func wait(_ milliseconds: Int64) async throws {
    let gate = Gate()
    gates.withLock { $0.append(gate) }
    await gate.wait()
    try Task.checkCancellation()
  }

  func wake() {
    let waiting = gates.withLock { gates in
      defer { gates = [] }
      return gates
    }
    for gate in waiting { gate.open() }
  }
}

#if os(Linux)
  /// A network of a thread's own.
  enum Namespace {
    private static let newNetwork: Int32 = 0x4000_0000

    /// Gives the calling thread, and what it starts, a network without anything.
    static func leaveNetwork() -> Bool {
      typealias Unshare = @convention(c) (Int32) -> Int32
      guard let symbol = dlsym(nil, "unshare") else { return false }
      return unsafeBitCast(symbol, to: Unshare.self)(newNetwork) == 0
    }

    /// Waits on this thread, which is nobody's but the test's.
    static func wait(for stream: AsyncStream<Void>) {
      let door = DispatchSemaphore(value: 0)
      Task {
        for await _ in stream { break }
        door.signal()
      }
      door.wait()
    }

    /// Sets the flag of the loopback interface (netdevice(7)).
    static func bringLoopbackUp() {
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      defer { close(descriptor) }
      // struct ifreq: 16 bytes of name, then a union that begins with the flags.
      var request = [UInt8](repeating: 0, count: 40)
      request.replaceSubrange(0..<2, with: Array("lo".utf8))
      request[16] = UInt8(IFF_UP | IFF_LOOPBACK)
      request.withUnsafeMutableBytes { bytes in
        if let start = bytes.baseAddress { _ = ioctl(descriptor, 0x8914, start) }
      }
    }
  }
#endif

/// Whether the server can be reached, as far as is known.
///
/// A value that decides: what was heard and when goes in, what to do comes out. It asks the network
/// nothing itself.
public struct Connectivity: Hashable, Sendable {
  /// What is known.
  public enum State: Hashable, Sendable {
    /// Nothing yet.
    case unknown
    /// There is no way to anywhere.
    case offline
    /// There was a way, and something failed on it.
    case suspect
    /// Something in between answers in the server's place, such as the page of a hotel.
    case captive
    /// The server has answered.
    case online
  }

  /// What the system says of the ways out of this device.
  public struct Path: Hashable, Sendable {
    /// Whether there is any.
    public var isSatisfied: Bool
    /// Whether it costs money.
    public var isMetered: Bool
    /// Whether the user asked to spare it.
    public var isConstrained: Bool

    /// Makes a path.
    public init(isSatisfied: Bool, isMetered: Bool = false, isConstrained: Bool = false) {
      self.isSatisfied = isSatisfied
      self.isMetered = isMetered
      self.isConstrained = isConstrained
    }
  }

  /// What a probe found.
  public enum Verdict: Hashable, Sendable {
    /// The server gave the nonce back.
    case reachable
    /// Something else answered.
    case captive
    /// Nobody did.
    case unreachable
  }

  /// What is heard.
  public enum Event: Hashable, Sendable {
    /// The system's view has changed.
    case path(Path)
    /// A probe has ended.
    case probed(Verdict)
    /// A request of the app's own was answered by the server.
    case requestSucceeded
    /// A request could not connect.
    case connectFailed
    /// A request got no answer in time.
    case timedOut
    /// Whether anything waits for the network.
    case demand(Bool)
    /// A time that was asked for has come.
    case timer
  }

  /// What is to be done.
  public enum Effect: Hashable, Sendable {
    /// Send a fresh nonce to the server and say what came back, within five seconds.
    case probe
    /// Say ``Event/timer`` at a time in milliseconds of the monotonic clock, and forget earlier
    /// ones.
    case wake(at: Int64)
    /// The state that tasks go by has changed.
    case changed
  }

  /// How long a way must stand without a break before it counts, in milliseconds.
  public static let stability: Int64 = 2_000
  /// How long a probe may take, in milliseconds.
  public static let probeLimit: Int64 = 5_000

  /// What is known.
  public private(set) var state = State.unknown
  /// The system's view; nil before the first.
  public private(set) var path: Path?
  /// When the way last came up, in milliseconds of the monotonic clock; nil while there is none.
  private var upSince: Int64?
  private var isProbing = false
  private var hasDemand = false
  private var failedProbes: UInt32 = 0
  private var probeDue: Int64?
  private let backoff = Backoff(firstDelay: 2_000, leastDelay: 0, jitter: .equal)

  /// Begins with nothing known.
  public init() {}

  /// Whether tasks that need the network may start.
  public var isOnline: Bool { state == .online }

  /// Takes in what was heard.
  ///
  /// - Parameters:
  ///   - event: What was heard.
  ///   - now: The monotonic clock in milliseconds.
  ///   - draw: 64 random bits, for the delay of the next probe.
  /// - Returns: What is to be done.
  public mutating func hear(_ event: Event, now: Int64, draw: UInt64) -> [Effect] {
    let before = state
    let pathBefore = path
    var effects: [Effect] = []
    switch event {
    case .path(let path): hear(path, now: now)
    case .probed(let verdict): hear(verdict, now: now, draw: draw)
    case .requestSucceeded:
      // Traffic proves more than a probe. A way that just came up has proven itself, too.
      state = .online
      failedProbes = 0
      probeDue = nil
    case .connectFailed, .timedOut:
      if state != .offline { state = .suspect }
      probeDue = now
    case .demand(let demand):
      hasDemand = demand
      if demand, probeDue == nil, state != .online, state != .offline { probeDue = now }
    case .timer: break
    }
    if let due = probeDue, hasDemand, !isProbing, state != .online, path?.isSatisfied != false {
      let earliest = max(due, (upSince ?? due) + (upSince == nil ? 0 : Self.stability))
      if earliest <= now {
        isProbing = true
        probeDue = nil
        effects.append(.probe)
      } else {
        effects.append(.wake(at: earliest))
      }
    }
    if state != before || state == .online && path != pathBefore { effects.append(.changed) }
    return effects
  }

  private mutating func hear(_ path: Path, now: Int64) {
    let wasSatisfied = self.path?.isSatisfied
    self.path = path
    guard path.isSatisfied else {
      state = .offline
      upSince = nil
      probeDue = nil
      return
    }
    guard wasSatisfied != true else { return }
    upSince = now
    if state == .offline { state = .unknown }
    failedProbes = 0
    probeDue = now
  }

  private mutating func hear(_ verdict: Verdict, now: Int64, draw: UInt64) {
    isProbing = false
    // The way has gone, or has only just come back: what a probe on the old one says is old.
    guard path?.isSatisfied != false else { return }
    switch verdict {
    case .reachable:
      if let upSince, now - upSince < Self.stability {
        probeDue = now
        return
      }
      state = .online
      failedProbes = 0
      probeDue = nil
      return
    case .captive: state = .captive
    case .unreachable: state = .suspect
    }
    failedProbes = min(failedProbes + 1, 64)
    let delay = backoff.delay(afterFailures: failedProbes, draw: draw)
    probeDue = now + Int64(clamping: delay)
  }
}

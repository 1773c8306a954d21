import Synchronization

/// Lets one call of a queue run tasks at a time; who comes meanwhile waits for that one.
///
/// However many come while one runs, at most one more runs after it: it looks for all of them.
final class Flight: Sendable {
  /// What becomes of a call that waited.
  enum Answer: Sendable {
    /// The other one has ended: this one may try.
    case free
    /// Since the call there was a look in which nothing was ready and nothing ran.
    case rested
    /// It waits no longer.
    case late
    /// Nobody is to run for now.
    case sentAway
  }

  /// A call that waits for another.
  final class Follower: Sendable {
    /// How many looks had begun when it came.
    fileprivate let look: Int
    /// Whether it has what it came for when nothing is ready any more.
    fileprivate let wantsRest: Bool
    fileprivate let bell = Bell()
    fileprivate let answer = Mutex<Answer?>(nil)

    fileprivate init(look: Int, wantsRest: Bool) {
      self.look = look
      self.wantsRest = wantsRest
    }

    fileprivate func isHeard(by rest: Int) -> Bool { wantsRest && look < rest }

    fileprivate func tell(_ news: Answer) {
      answer.withLock { $0 = $0 ?? news }
      bell.ring()
    }
  }

  /// Whose turn it is.
  enum Turn: Sendable {
    /// The caller's, which says by this number that it has ended.
    case own(Int)
    /// Another's.
    case others(Follower)
  }

  private struct State {
    /// The number of the one that runs.
    var running: Int?
    var last = 0
    /// How many looks have begun.
    var looks = 0
    var followers: [Follower] = []
  }

  private let state = Mutex(State())

  /// Begins to run, or to wait where another runs.
  ///
  /// - Parameter wantsRest: Whether it has what it came for when nothing is ready any more.
  /// - Returns: Whose turn it is.
  func begin(wantsRest: Bool) -> Turn {
    state.withLock { state in
      guard state.running != nil else {
        state.last += 1
        state.running = state.last
        return .own(state.last)
      }
      let follower = Follower(look: state.looks, wantsRest: wantsRest)
      state.followers.append(follower)
      return .others(follower)
    }
  }

  /// Waits for an answer.
  ///
  /// - Parameters:
  ///   - follower: The call that waits.
  ///   - limit: Returns when there is no time left; nil waits for ever.
  /// - Returns: What became of it.
  func wait(for follower: Follower, limit: (@Sendable () async -> Void)?) async -> Answer {
    await withTaskGroup { group in
      group.addTask { await follower.bell.wait() }
      if let limit { group.addTask { await limit() } }
      await group.next()
      group.cancelAll()
    }
    state.withLock { state in state.followers.removeAll { $0 === follower } }
    return follower.answer.withLock { $0 } ?? .late
  }

  /// A look at the queue begins.
  ///
  /// - Returns: Its number.
  func look() -> Int {
    state.withLock { state in
      state.looks += 1
      return state.looks
    }
  }

  /// In a look nothing was ready, and nothing runs: who came before it has what it came for.
  func rest(_ look: Int) {
    let heard = state.withLock { state in
      let heard = state.followers.filter { $0.isHeard(by: look) }
      state.followers.removeAll { $0.isHeard(by: look) }
      return heard
    }
    for follower in heard { follower.tell(.rested) }
  }

  /// The one that ran has ended.
  func end(_ number: Int) {
    let followers = state.withLock { state -> [Follower] in
      guard state.running == number else { return [] }
      state.running = nil
      defer { state.followers = [] }
      return state.followers
    }
    for follower in followers { follower.tell(.free) }
  }

  /// Nobody is to run for now: sends away who waits.
  func sendAway() {
    let followers = state.withLock { state in
      defer { state.followers = [] }
      return state.followers
    }
    for follower in followers { follower.tell(.sentAway) }
  }

  /// The one that ran is fenced: it may go on, but it is not waited for any more.
  func forget() {
    state.withLock { $0.running = nil }
    sendAway()
  }
}

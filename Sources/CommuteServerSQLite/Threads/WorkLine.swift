import Dispatch
import Synchronization

/// Jobs in line for threads that wait for them.
///
/// Whoever adds never waits; only the store's own threads do, never one of Swift's.
final class WorkLine<Job: Sendable>: Sendable {
  /// What became of a job that was to be added.
  enum Admission {
    case added
    case full
    case closed
  }

  /// What a thread gets.
  enum Taking {
    /// These, in the order they were added.
    case jobs([Job])
    /// Somebody called ``WorkLine/nudge()``, or nothing happened for as long as it was to wait.
    case nothing
    /// The line is closed and empty: the thread ends.
    case end
  }

  private struct State {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let limit: Int
  private let state = Mutex(State())
  private let signal = DispatchSemaphore(value: 0)

  /// Makes a line that takes so many waiting jobs.
  init(limit: Int) {
    self.limit = limit
  }

  /// Puts a job last.
  func add(_ job: Job) -> Admission {
    let admission: Admission = state.withLock { state in
      if state.isClosed { return .closed }
      if state.jobs.count >= limit { return .full }
      state.jobs.append(job)
      return .added
    }
    if case .added = admission { signal.signal() }
    return admission
  }

  /// How many jobs are in line.
  var count: Int { state.withLock { $0.jobs.count } }

  /// Wakes a thread although there is no job.
  func nudge() {
    signal.signal()
  }

  /// Takes no more jobs; what is in line is still done.
  ///
  /// - Parameter threads: How many threads wait here; each of them is woken.
  func close(threads: Int) {
    state.withLock { $0.isClosed = true }
    for _ in 0..<threads { signal.signal() }
  }

  /// Waits for jobs.
  ///
  /// - Parameters:
  ///   - limit: How many to take at most.
  ///   - patience: How long to wait; nil for as long as it takes.
  /// - Returns: The jobs, or why there are none.
  func take(atMost limit: Int, patience: DispatchTimeInterval? = nil) -> Taking {
    let waits = state.withLock { !$0.isClosed }
    if waits, let patience {
      _ = signal.wait(timeout: .now() + patience)
    } else if waits {
      signal.wait()
    }
    let taking: Taking = state.withLock { state in
      guard !state.jobs.isEmpty else { return state.isClosed ? .end : .nothing }
      let count = min(limit, state.jobs.count)
      let jobs = Array(state.jobs.prefix(count))
      state.jobs.removeFirst(count)
      return .jobs(jobs)
    }
    guard case .jobs(let jobs) = taking else { return taking }
    // Each job was signalled once; what was taken along must not wake the thread again.
    for _ in 1..<max(1, jobs.count) where signal.wait(timeout: .now()) == .timedOut { break }
    return taking
  }
}

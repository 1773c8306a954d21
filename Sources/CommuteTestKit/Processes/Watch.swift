import Foundation

/// Waits for what processes tell.
package struct Watch {
  private let end: ContinuousClock.Instant

  /// Begins a watch that ends after a while.
  package init(_ limit: Duration) {
    end = ContinuousClock.now + limit
  }

  /// Whether the time is over.
  package var isOver: Bool { ContinuousClock.now >= end }

  /// Waits until one of the processes tells something, or the time is over.
  ///
  /// - Returns: The lines of each process that told some.
  package func next(_ processes: [ChildProcess]) -> [(ChildProcess, [String])] {
    let open = processes.filter(\.isOpen)
    var ready = open.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
    let left = end - ContinuousClock.now
    let milliseconds = max(
      0, left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000)
    guard poll(&ready, nfds_t(ready.count), Int32(clamping: milliseconds)) > 0 else { return [] }
    var told: [(ChildProcess, [String])] = []
    for (process, state) in zip(open, ready) where state.revents != 0 {
      told.append((process, process.takeLines()))
    }
    return told
  }
}

import CommuteCore
import Foundation
import Synchronization

/// The thread that runs observed queries again, and looks now and then whether others have written.
final class Watch: Sendable {
  private let source: ReadSource
  private let observers: Observers
  private let writer: Writer
  private let poll: TimeInterval
  private let session = Locked<StoreConnection?>(nil)
  private let thread: Locked<StoreThread<Void>?> = Locked(nil)
  private let isSuspended = Atomic(false)

  init(
    _ source: ReadSource, observers: Observers, writer: Writer, pollMilliseconds: Int
  ) {
    self.source = source
    self.observers = observers
    self.writer = writer
    poll = TimeInterval(max(10, pollMilliseconds)) / 1_000
    observers.connect { [weak self] in
      self?.wake()
    } watched: { [weak self] isWatched in
      self?.watch(isWatched)
    }
  }

  private func wake() {
    let thread = thread.withLock { thread -> StoreThread<Void>? in
      if let thread { return thread }
      let made = makeThread()
      thread = made
      return made
    }
    _ = thread?.add(())
  }

  private func watch(_ isWatched: Bool) {
    wake()
    thread.withLock { $0 }?.wakes(after: isWatched ? poll : nil)
  }

  private func makeThread() -> StoreThread<Void> {
    StoreThread("commute.watch") { [weak self] work in
      self?.serve(isPoll: work.isEmpty)
    } end: { [weak self] in
      self?.session.withLock { $0?.connection.close() }
    }
  }

  private func serve(isPoll: Bool) {
    if isPoll { writer.withCore { $0.lookForOthers() } }
    session.withLock { session in
      if isSuspended.load(ordering: .acquiring) { return observers.postpone() }
      source.lend(&session) { lent in
        do throws(StoreError) {
          try observers.serve(on: try lent.get())
        } catch {
          observers.fail(error)
        }
      }
    }
  }

  /// Closes the connection, after the queries that are being read.
  func suspend() {
    isSuspended.store(true, ordering: .releasing)
    session.withLock { session in
      session?.connection.close()
      session = nil
    }
  }

  /// Lets queries be read again.
  func resume() {
    isSuspended.store(false, ordering: .releasing)
  }

  /// Stops the thread and waits for its end.
  func end() async {
    await thread.withLock { $0 }?.end()
  }

  /// Stops the thread.
  func stop() {
    thread.withLock { $0 }?.stop()
  }
}

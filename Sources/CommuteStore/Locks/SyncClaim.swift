import Synchronization

/// The right to sync a database, held until it is released or forgotten.
public final class SyncClaim: Sendable {
  /// Whether a store's own lock is taken: descriptors of one process do not exclude each other.
  final class Flag: Sendable {
    let isTaken = Atomic(false)
  }

  private let lock: SideLock
  private let flag: Flag
  private let isHeld = Atomic(true)

  init(_ lock: SideLock, name: String, flag: Flag) throws(StoreError) {
    let taken = flag.isTaken.exchange(true, ordering: .acquiringAndReleasing)
    guard !taken else { throw .syncedElsewhere(holder: lock.holder ?? "this process") }
    guard lock.tryLock() else {
      flag.isTaken.store(false, ordering: .releasing)
      throw .syncedElsewhere(holder: lock.holder ?? "another process")
    }
    lock.sign(name)
    self.lock = lock
    self.flag = flag
  }

  deinit {
    release()
  }

  /// Gives the right back; the second call does nothing.
  public func release() {
    guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return }
    lock.unlock()
    flag.isTaken.store(false, ordering: .releasing)
  }
}

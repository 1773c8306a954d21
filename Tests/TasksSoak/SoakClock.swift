import CommuteStore
import Foundation

/// The wall clock of all processes of a run, set by the runner through eight bytes of a file that
/// all of them map.
final class SoakClock: @unchecked Sendable {
  private let offset: UnsafeMutablePointer<Int64>

  /// Maps the file, which is made where there is none.
  init(_ path: String) throws(SoakFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0, ftruncate(descriptor, 4_096) == 0 else {
      throw SoakFailure(message: "\(path) cannot be made; check the disk")
    }
    defer { close(descriptor) }
    let map = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let map, map != MAP_FAILED else {
      throw SoakFailure(message: "\(path) cannot be mapped")
    }
    offset = map.bindMemory(to: Int64.self, capacity: 1)
  }

  /// Sets the clock of all processes by some milliseconds.
  func set(by milliseconds: Int64) { offset.pointee += milliseconds }

  /// The clock as a store takes it: the wall's is set, the monotonic one is the system's.
  var clock: StoreClock {
    let system = StoreOptions(deviceName: "soak").clock
    return StoreClock(
      wall: { system.wall() + self.offset.pointee }, monotonic: system.monotonic,
      bootID: system.bootID)
  }
}

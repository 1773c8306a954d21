import CFaultFiles

/// What goes wrong in a history.
enum FaultKind: Int, CaseIterable, Sendable {
  /// One write, sync, truncation or removal fails.
  case error
  /// The disk is full for a while.
  case fullDisk
  /// The process ends in the middle of its work, or between.
  case kill
  /// The machine loses power: of what was not synced a drawn part is there.
  case power
  /// It does so in the middle of a write.
  case torn
  /// A message does not arrive, or twice, or out of order.
  case loss, duplication, reordering
  /// The server is there and cannot answer.
  case trouble
  case clockJump
  /// An older copy of the file, or of the whole machine, takes its place.
  case putBackFile, putBackMachine
  /// The server's files are put back, and another epoch begins.
  case putBackServer
  /// Three months pass, and the server purges.
  case absence

  var name: String { "\(self)" }

  /// What the file layer is told.
  var armed: Int32 {
    switch self {
    case .error: Int32(FAULT_ERROR_ONCE)
    case .fullDisk: Int32(FAULT_FULL)
    case .torn: Int32(FAULT_TORN)
    default: Int32(FAULT_DEATH)
    }
  }

  var endsProcess: Bool { self == .kill || losesPower }
  var losesPower: Bool { self == .power || self == .torn }
}

/// A fault of the file layer that waits for an operation.
struct DrawnFault {
  var kind: FaultKind
  var operation: Int
  var seed: UInt64

  func arm() { fault_files_arm(kind.armed, Int64(operation), seed) }
}

/// The layer below SQLite, as one process has it.
enum FaultLayer {
  /// Puts it below SQLite; false where SQLite takes none.
  static func install() -> Bool { fault_files_install() == 0 }

  static func watch(_ prefix: String) { fault_files_watch(prefix) }

  static var hasHappened: Bool { fault_files_happened() != 0 }

  static func disarm() { fault_files_disarm() }

  /// Nothing reaches the files any more.
  static func die() { fault_files_arm(Int32(FAULT_DEATH), 0, 0) }

  /// No fault; operations are counted from here.
  static func count() { fault_files_arm(Int32(FAULT_NONE), 0, 0) }

  static func losePower(below prefix: String, seed: UInt64) -> Bool {
    fault_files_lose_power_below(prefix, seed) >= 0
  }

  static func settle(below prefix: String) { fault_files_settle_below(prefix) }
}

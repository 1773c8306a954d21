#if PLANTED
  import CommuteCore
#endif

/// A defence of the product that a planted build can do without, to see a story fail then.
enum Defence: String, Hashable, Sendable, CaseIterable {
  /// The hybrid clock: stamps are made of the wall clock alone.
  case clock
  /// The merge by field: the later writer's whole record wins.
  case merge
  /// The tombstone: the server forgets what was deleted.
  case tombstone
  /// The memory of operations: what is sent again is done again.
  case dedupe
  /// The server's own stamps for what claims to come from the future.
  case restamping
  /// The fence: who has not read what was purged reads anew.
  case fence
  /// The offers to a server that was put back.
  case offers

  /// The environment variable that tells a server which planted bug is in force.
  static let variable = "COMMUTE_PLANTED"

  /// The name of the planted bug that takes the defence away, on devices and on the server.
  var planted: String {
    switch self {
    case .clock: "wallClockOnly"
    case .merge: "rowLevelMerge"
    case .tombstone: "hardDelete"
    case .dedupe: "noDedupe"
    case .restamping: "futureTrusted"
    case .fence: "fenceIgnored"
    case .offers: "heldIgnored"
    }
  }

  /// The numbers of the stories that must be lost without it.
  ///
  /// The reply of a slow clock (4) is kept without the hybrid clock, too: a server settles nothing
  /// below what its writer had seen.
  var stories: Set<Int> {
    switch self {
    case .clock: [8, 9]
    case .merge: [3]
    case .tombstone: [2]
    case .dedupe: [7, 10]
    case .restamping: [8]
    case .fence: [12]
    case .offers: [13]
    }
  }

  /// Takes the defence away in this process.
  ///
  /// - Throws: ``StoryError`` in a build where nothing can be taken away.
  func turnOff() throws(StoryError) {
    #if PLANTED
      guard let bug = Planted(rawValue: planted) else {
        throw StoryError("this build knows no planted bug \(planted)")
      }
      unsafe Planted.active = bug
    #else
      throw StoryError(
        "this build cannot do without its \(rawValue); `make stories BREAK=\(rawValue)` builds one")
    #endif
  }
}

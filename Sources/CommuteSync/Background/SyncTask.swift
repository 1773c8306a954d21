import CommuteCore
import CommuteTasks

/// A round of sync whose time has come.
struct SyncTask: QueueTask {
  static let kind = "commute.sync"

  /// The driver knows when to try again: the task itself has always done its part.
  static var policy: TaskPolicy {
    var policy = TaskPolicy()
    policy.lane = "sync"
    return policy
  }
}

/// Forgets what has been over in the queue for longer than it is kept.
struct PruneTask: QueueTask {
  static let kind = "commute.prune"

  static var policy: TaskPolicy {
    var policy = TaskPolicy()
    policy.lane = "sync"
    policy.urgency = .background
    return policy
  }
}

public import CommuteCore

/// Nothing: the output of a task that only does something.
public struct Nothing: Codable, Hashable, Sendable {
  /// Makes nothing.
  public init() {}
}

/// Work that can be queued: the value is the payload.
///
/// ```swift
/// struct Upload: QueueTask {
///   static let kind = "upload"
///   var file: String
/// }
/// ```
public protocol QueueTask: Codable, Sendable {
  /// What the work brings, for tasks that come after it.
  associatedtype Output: Codable & Sendable = Nothing
  /// The name of the work in the file. It is not the type's, which may be renamed.
  static var kind: String { get }
  /// The version of the payload, from 1.
  static var version: Int { get }
  /// How the work is run unless a task says otherwise.
  static var policy: TaskPolicy { get }
  /// Makes the payload of one that another version of the app wrote.
  ///
  /// - Throws: Anything, where that cannot be done: the task is parked, and nothing is lost.
  static func upgrade(from version: Int, payload: [UInt8]) throws -> Self
}

extension QueueTask {
  /// The first version.
  public static var version: Int { 1 }
  /// Normal urgency in the default lane.
  public static var policy: TaskPolicy { TaskPolicy() }
  /// Refuses.
  public static func upgrade(from version: Int, payload: [UInt8]) throws -> Self {
    throw QueueError.noUpgrade(kind: kind, from: version, to: Self.version)
  }
}

/// How a kind of task, or one task, is run.
public struct TaskPolicy: Hashable, Sendable {
  /// The lane: tasks of one lane share its width, and a slow one delays only those.
  public var lane = "default"
  /// How urgent it is.
  public var urgency = TaskUrgency.normal
  /// The signals without which it does not start.
  public var requires: Requirements = []
  /// How often it is tried again.
  public var retry = RetryPolicy()
  /// How long the handler may take, in milliseconds of the monotonic clock; nil for as long as it
  /// likes.
  public var timeout: UInt64?
  /// By when it must have started, in milliseconds after it was queued; nil for whenever.
  public var startWithin: UInt64?

  /// Makes a policy of the defaults.
  public init() {}
}

/// Signals that tasks wait for; the first bits are named here, an app may name more.
public struct Requirements: OptionSet, Hashable, Sendable {
  /// One bit a signal; 0 to 61.
  public let rawValue: UInt64

  /// Makes a set of its bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The server can be reached.
  public static let network = Self(rawValue: 1)
  /// And it costs nothing.
  public static let unmetered = Self(rawValue: 2)
  /// And the user has not asked to spare it.
  public static let unconstrained = Self(rawValue: 4)
  /// The device is charging.
  public static let charging = Self(rawValue: 8)
  /// The battery is not low.
  public static let batteryOK = Self(rawValue: 16)
  /// Nobody is using the device.
  public static let idle = Self(rawValue: 32)
  /// Somebody is signed in.
  public static let signedIn = Self(rawValue: 64)
}

/// When a task may start.
public enum When: Hashable, Sendable {
  /// At once.
  case now
  /// After a delay in milliseconds: it keeps its length when the clock is set.
  case after(milliseconds: UInt64)
  /// At a time, in milliseconds since 1970: it moves with the clock.
  case at(milliseconds: Int64)
  /// Not before one time and, once the other has passed, not at all; milliseconds since 1970.
  case window(ClosedRange<Int64>)
}

/// What becomes of a task whose unique key is taken.
public enum Duplicate: Hashable, Sendable {
  /// The one that is there stays.
  case keep
  /// The one that is there is cancelled, even while it runs.
  case replace
  /// The one that waits gets the new payload and time; one that runs stays, and the new one is not
  /// queued.
  case supersedeIfWaiting
  /// As ``supersedeIfWaiting``, and it starts that many milliseconds after the last call.
  case debounce(milliseconds: UInt64)
}

/// What is said of one task beside its payload.
public struct EnqueueOptions: Hashable, Sendable {
  /// When it may start.
  public var when = When.now
  /// No two tasks that are not over have the same one.
  public var uniqueKey: String?
  /// What happens where the unique key is taken.
  public var duplicate = Duplicate.keep
  /// Tasks with the same one run one after another, in the order of queueing.
  public var serialKey: String?
  /// Whether tasks behind it with the same serial key are held up while it has failed for good.
  public var holdsSerialKey = false
  /// Words to find it by.
  public var tags: Set<String> = []
  /// How it is run; the kind's policy unless told otherwise.
  public var policy: TaskPolicy?

  /// Makes options of the defaults.
  public init() {}
}

/// What queueing did.
public enum Enqueued: Hashable, Sendable {
  /// A new task.
  case inserted(TaskID)
  /// Nothing: this one has the unique key.
  case existing(TaskID)
  /// A new task; the old one is cancelled.
  case replaced(old: TaskID, new: TaskID)
  /// The one that waited has the new payload.
  case merged(TaskID)

  /// The task that will do the work.
  public var id: TaskID {
    switch self {
    case .inserted(let id), .existing(let id), .merged(let id), .replaced(_, let id): id
    }
  }
}

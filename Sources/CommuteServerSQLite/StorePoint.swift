/// A moment in the life of a shared transaction, for tests that end the process there.
public enum StorePoint: String, Hashable, Sendable, CaseIterable {
  /// Requests wait, nothing is written.
  case before
  /// Everything is written, nothing is committed.
  case inside
  /// It is committed, nobody knows.
  case committed
  /// The answers are on their way.
  case answered
}

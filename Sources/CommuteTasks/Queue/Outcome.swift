public import CommuteStore

/// How a handler ended; what it throws instead is a failure that may pass.
public enum Outcome<Output: Codable & Sendable>: Sendable {
  /// Changes of the local database that belong to the end of a task.
  public typealias Effects = @Sendable (borrowing WriteTransaction) throws -> Void

  /// It is done. `effects` runs in the transaction that says so: exactly once.
  case done(Output, effects: Effects? = nil)
  /// Try again, not before a delay in milliseconds; counts as a failure.
  case retry(afterMilliseconds: UInt64? = nil, because: String)
  /// Signals are missing: wait for them; counts as nothing.
  case wait(for: Requirements, because: String)
  /// A person has to look at it.
  case park(because: String)
  /// It will never work.
  case fail(because: String)
  /// Somebody else completes it, who knows the token.
  case handOff(token: String)
}

extension Outcome where Output == Nothing {
  /// It is done.
  public static var done: Outcome { .done(Nothing()) }
}

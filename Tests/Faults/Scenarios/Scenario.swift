import CommuteCore
import CommuteStore

/// One thing a device does, the same each time.
struct Step: Sendable {
  /// Whether it is durable against loss of power once it returned.
  var isFull = false
  let body: @Sendable (Machine) async throws -> Void

  /// A step that survives the death of the process.
  static func normal(_ body: @escaping @Sendable (Machine) async throws -> Void) -> Step {
    Step(body: body)
  }

  /// A step that survives loss of power, too.
  static func full(_ body: @escaping @Sendable (Machine) async throws -> Void) -> Step {
    Step(isFull: true, body: body)
  }

  /// Writes in one transaction.
  static func write(
    _ durability: Durability = .normal,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) -> Step {
    Step(isFull: durability == .full) { machine in
      try await machine.opened().write(durability: durability) { tx in try body(tx) }
    }
  }

  /// Marks what waits; a round that only asks is not durable and need not be.
  static let mark = full { try await $0.mark() }
  static let ask = normal { try await $0.mark() }
}

/// What a device does before the trial, without faults, and in it.
struct Scenario: Sendable {
  let name: String
  var before: [Step] = []
  let steps: [Step]
  /// Whether the app is a newer one in the trial than before it.
  var isNewer = false
  /// Whether one trial takes much longer than those of others; it gets fewer.
  var isLong = false
}

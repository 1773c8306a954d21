/// One thing that was looked at.
struct Finding: Hashable, Sendable {
  /// How it is.
  enum State: String, Sendable {
    /// As it should be.
    case fine
    /// Worth knowing; it goes on by itself.
    case note
    /// Somebody has to do something.
    case needsYou
  }

  /// What was looked at, in a word.
  var name: String
  var state: State
  /// What is so.
  var text: String
  /// What to do about it.
  var cure: String?
  /// The same in parts, for programs.
  var members: [JSON.Member] = []

  /// The sign in front of the line.
  var mark: String {
    switch state {
    case .fine: "✓"
    case .note: "·"
    case .needsYou: "!"
    }
  }

  var json: JSON {
    .object(
      [
        JSON.Member(name: "name", value: .text(name)),
        JSON.Member(name: "state", value: .text(state.rawValue)),
        JSON.Member(name: "text", value: .text(text)), JSON.Member(name: "cure", value: JSON(cure)),
      ] + members)
  }
}

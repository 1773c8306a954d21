/// A lie that a child tells, to prove that the runner's checks find it.
enum Plant: String, Codable, CaseIterable {
  /// A device reports a write as returned before it makes it.
  case lostWrite = "lost-write"
  /// A device takes a change out of the line to the server and leaves it in the view.
  case halfWrite = "half-write"
  /// A device that was restarted writes its last value once more, into another record.
  case doubleApply = "double-apply"
  /// The server forgets operations that it acknowledges.
  case lostAnswer = "lost-answer"
}

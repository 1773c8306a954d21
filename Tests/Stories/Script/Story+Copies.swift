/// Files that are copied while somebody works in them.
extension Story {
  static let copies: [Story] = [clonedPhone]

  /// The copy holds work that was not sent: both phones send it, and each its own besides.
  private static let clonedPhone = Story(
    number: 10, name: "a phone is cloned and both go on",
    promise: "what either did is there, once",
    naiveLosses: [.missing],
    steps: [
      .edit(.a, .add("Emma")), .sync(.a),
      .goOffline(.a), .pass(seconds: 5),
      .edit(.a, .note("Emma", "lent to Jo")), .edit(.a, .add("Persuasion")),
      .clone(.a, to: .b), .goOffline(.b), .pass(seconds: 5),
      .edit(.a, .add("Walden")), .pass(seconds: 5),
      .edit(.b, .add("Ulysses")), .edit(.b, .tick("Emma")), .pass(seconds: 5),
      .comeOnline(.b), .sync(.b), .comeOnline(.a), .sync(.a),
    ],
    outcomes: [
      everywhere(
        Book("Emma", isRead: true, note: "lent to Jo"), Book("Persuasion"), Book("Ulysses"),
        Book("Walden"))
    ])
}

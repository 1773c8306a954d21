/// Some seconds pass between most steps; together less than the minute by which a server lets a
/// device's clock be ahead of its own.
extension Story {
  /// What goes wrong between two devices of one person on ordinary days.
  static let seven: [Story] = [
    bothAddOffline, deletedElsewhere, tickAndNote, slowClock, sameNote, sameTitle, lostAnswer,
  ]

  private static let bothAddOffline = Story(
    number: 1, name: "both add offline",
    promise: "both books are everywhere",
    naiveLosses: [.missing],
    steps: [
      .goOffline(.a), .goOffline(.b),
      .edit(.a, .add("Emma")), .pass(seconds: 5),
      .edit(.b, .add("Walden")), .pass(seconds: 5),
      .comeOnline(.a), .comeOnline(.b), .sync(.a), .sync(.b),
    ],
    outcomes: [everywhere(Book("Emma"), Book("Walden"))])

  private static let deletedElsewhere = Story(
    number: 2, name: "A deletes while B still has it",
    promise: "what was deleted stays deleted",
    naiveLosses: [.back],
    steps: [
      .edit(.a, .add("Emma")), .edit(.a, .add("Walden")), .sync(.a), .sync(.b),
      .goOffline(.b), .pass(seconds: 5),
      .edit(.a, .delete("Emma")), .sync(.a), .pass(seconds: 5),
      .comeOnline(.b), .sync(.b),
    ],
    outcomes: [everywhere(Book("Walden"))])

  /// The later writer comes back first: a design that keeps whole rows then drops the tick.
  private static let tickAndNote = Story(
    number: 3, name: "tick and note on the same book",
    promise: "the tick and the note are both there",
    naiveLosses: [.tick],
    steps: [
      .edit(.a, .add("Emma")), .sync(.a), .sync(.b),
      .goOffline(.a), .goOffline(.b), .pass(seconds: 5),
      .edit(.a, .tick("Emma")), .syncInVain(.a), .pass(seconds: 5),
      .edit(.b, .note("Emma", "lent to Jo")), .pass(seconds: 5),
      .comeOnline(.b), .sync(.b), .comeOnline(.a), .sync(.a),
    ],
    outcomes: [everywhere(Book("Emma", isRead: true, note: "lent to Jo"))])

  /// B's clock is behind before it first hears of the server, and slips once more afterwards, when
  /// the measured offset no longer helps.
  private static let slowClock = Story(
    number: 4, name: "a slow clock",
    promise: "B's reply replaces what it answers",
    naiveLosses: [.note],
    steps: [
      .slip(.b, hours: 3),
      .edit(.a, .add("Emma")), .edit(.a, .note("Emma", "who has it?")), .sync(.a), .sync(.b),
      .goOffline(.b), .slip(.b, hours: 2), .pass(seconds: 5),
      .edit(.b, .note("Emma", "Jo has it")),
      .look(.b, [Book("Emma", note: "Jo has it")]), .pass(seconds: 5),
      .comeOnline(.b), .sync(.b),
    ],
    outcomes: [everywhere(Book("Emma", note: "Jo has it"))])

  /// Both clocks show the same millisecond: whoever wins, it must be the same one everywhere.
  private static let sameNote = Story(
    number: 5, name: "both write the same note",
    promise: "all hold the same one of the two notes",
    naiveLosses: [.note],
    steps: [
      .edit(.a, .add("Emma")), .sync(.a), .sync(.b),
      .goOffline(.a), .goOffline(.b), .pass(seconds: 5),
      .edit(.a, .note("Emma", "a gift")), .edit(.b, .note("Emma", "a loan")),
      .pass(seconds: 5), .comeOnline(.a), .comeOnline(.b), .sync(.a), .sync(.b),
    ],
    outcomes: [everywhere(Book("Emma", note: "a gift")), everywhere(Book("Emma", note: "a loan"))])

  private static let sameTitle = Story(
    number: 6, name: "both add the same title",
    promise: "it is one book, and A's tick stays",
    naiveLosses: [.twice, .tick],
    steps: [
      .goOffline(.a), .goOffline(.b),
      .edit(.a, .take("Emma")), .pass(seconds: 5),
      .edit(.a, .tick("Emma")), .pass(seconds: 5),
      .edit(.b, .take("Emma")), .pass(seconds: 5),
      .comeOnline(.a), .comeOnline(.b), .sync(.a), .sync(.b),
      .edit(.b, .take("Emma")), .sync(.b),
    ],
    outcomes: [everywhere(Book("Emma", isRead: true))])

  private static let lostAnswer = Story(
    number: 7, name: "the answer is lost and A sends again",
    promise: "the book is there once",
    naiveLosses: [.twice],
    steps: [
      .edit(.a, .add("Emma")),
      .loseNextAnswer(.a), .syncInVain(.a), .pass(seconds: 5),
      .sync(.a), .sync(.b),
    ],
    outcomes: [everywhere(Book("Emma"))])
}

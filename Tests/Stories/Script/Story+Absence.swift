/// Long absences, of a device and of a server's memory.
extension Story {
  static let absences: [Story] = [longAbsence, restoredServer]

  /// B is away for longer than deletions are remembered, with work of its own.
  private static let longAbsence = Story(
    number: 12, name: "B is away for 400 days",
    promise: "what was deleted stays deleted, and B's work arrives or is kept aside",
    naiveLosses: [.back, .silent],
    steps: [
      .edit(.a, .add("Emma")), .edit(.a, .add("Walden")), .sync(.a), .sync(.b),
      .goOffline(.b), .pass(seconds: 5),
      .edit(.b, .note("Emma", "read it to Ann")), .edit(.b, .note("Walden", "lent to Jo")),
      .edit(.b, .add("Ulysses")), .pass(seconds: 5),
      .edit(.a, .delete("Emma")), .sync(.a),
      .passDays(400), .sync(.a), .edit(.a, .tick("Walden")), .sync(.a), .care(.purge),
      .comeOnline(.b), .sync(.b), .letGo(.b, notes: ["read it to Ann"]),
    ],
    outcomes: [everywhere(Book("Ulysses"), Book("Walden", isRead: true, note: "lent to Jo"))])

  /// What A did in the week after the copy is on A alone; B was away and has work of its own.
  private static let restoredServer = Story(
    number: 13, name: "a server is put back to last week's copy",
    promise: "what A did in that week is back, and stays deleted where it was",
    naiveLosses: [.back, .note],
    steps: [
      .edit(.a, .add("Emma")), .edit(.a, .add("Persuasion")), .sync(.a), .sync(.b),
      .care(.backUp), .goOffline(.b), .passDays(7),
      .edit(.a, .note("Emma", "lent to Jo")), .edit(.a, .delete("Persuasion")),
      .edit(.a, .add("Walden")), .sync(.a), .pass(seconds: 5),
      .edit(.b, .tick("Emma")), .care(.restore), .pass(seconds: 5),
      .comeOnline(.b), .sync(.b), .sync(.a),
    ],
    outcomes: [everywhere(Book("Emma", isRead: true, note: "lent to Jo"), Book("Walden"))])
}

/// Clocks that are wrong by more than anybody would believe.
extension Story {
  static let clocks: [Story] = [yearAhead, in1970]

  /// A changes the note after B has, and has not seen what B wrote; later it has.
  private static let yearAhead = Story(
    number: 8, name: "a clock a year ahead",
    promise: "what A writes later replaces what B wrote",
    naiveLosses: [.note],
    steps: [
      .edit(.a, .add("Emma")), .sync(.a), .sync(.b),
      .goOffline(.b), .leap(.b, days: 365), .pass(seconds: 5),
      .edit(.b, .note("Emma", "Jo has it")), .comeOnline(.b), .sync(.b), .pass(seconds: 5),
      .edit(.a, .note("Emma", "Mia has it")), .sync(.a), .sync(.b),
      .look(.a, [Book("Emma", note: "Mia has it")]),
      .look(.b, [Book("Emma", note: "Mia has it")]), .pass(seconds: 5),
      .edit(.b, .note("Emma", "Jo has it again")), .sync(.b), .sync(.a),
      .look(.a, [Book("Emma", note: "Jo has it again")]), .pass(seconds: 5),
      .edit(.a, .note("Emma", "it is back")), .sync(.a), .sync(.b),
    ],
    outcomes: [everywhere(Book("Emma", note: "it is back"))])

  /// First B's edit is later than one that it has not seen, which only its measured offset can
  /// tell; then its clock falls once more, and the offset no longer helps.
  private static let in1970 = Story(
    number: 9, name: "a clock in 1970",
    promise: "what B writes later still counts",
    naiveLosses: [.note],
    steps: [
      .fallTo1970(.b),
      .edit(.a, .add("Emma")), .sync(.a), .sync(.b),
      .goOffline(.a), .goOffline(.b), .pass(seconds: 5),
      .edit(.a, .note("Emma", "Mia has it")), .pass(seconds: 5),
      .edit(.b, .note("Emma", "Jo has it")),
      .comeOnline(.a), .sync(.a), .comeOnline(.b), .sync(.b), .sync(.a),
      .look(.a, [Book("Emma", note: "Jo has it")]), .pass(seconds: 5),
      .edit(.a, .note("Emma", "who has it now?")), .sync(.a), .sync(.b),
      .goOffline(.b), .fallTo1970(.b), .pass(seconds: 5),
      .edit(.b, .note("Emma", "still Jo")), .comeOnline(.b), .sync(.b),
    ],
    outcomes: [everywhere(Book("Emma", note: "still Jo"))])
}

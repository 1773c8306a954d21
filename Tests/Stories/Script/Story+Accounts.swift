/// Several people, each with a token of their own, and one server.
extension Story {
  static let accounts: [Story] = [borrowedPhone]

  /// A is Anna's phone and B is Ben's; Ben borrows Anna's while her work is not sent yet.
  private static let borrowedPhone = Story(
    number: 11, name: "Ben signs in on Anna’s phone",
    promise: "each has what is theirs, and nothing else",
    naiveLosses: [.foreign, .missing],
    steps: [
      .edit(.a, .add("Emma")), .sync(.a), .edit(.b, .add("Walden")), .sync(.b),
      .goOffline(.a), .pass(seconds: 5),
      .edit(.a, .note("Emma", "lent to Jo")), .edit(.a, .add("Persuasion")),
      .signIn(.a, .ben), .look(.a, []), .pass(seconds: 5),
      .edit(.a, .add("Ulysses")), .comeOnline(.a), .sync(.a),
      .look(.a, [Book("Ulysses", of: .ben), Book("Walden", of: .ben)]),
      .signIn(.a, .anna), .sync(.a),
    ],
    outcomes: [
      [
        .device(.a): [
          Book("Emma", note: "lent to Jo", of: .anna), Book("Persuasion", of: .anna),
        ],
        .device(.b): [Book("Ulysses", of: .ben), Book("Walden", of: .ben)],
        .server: [
          Book("Emma", note: "lent to Jo", of: .anna), Book("Persuasion", of: .anna),
          Book("Ulysses", of: .ben), Book("Walden", of: .ben),
        ],
      ]
    ],
    people: [.a: .anna, .b: .ben])
}

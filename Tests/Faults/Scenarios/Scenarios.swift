import CommuteCore
import CommuteStore

/// What a device may be doing when its disk fails.
enum Scenarios {
  private static let three = Step.write { tx in
    for number: UInt64 in 1...3 {
      try tx.insert(Book(id: id(number), title: "Book \(number)", author: "Somebody"))
    }
  }

  /// Three books that the server has settled.
  private static let settled = [three, .mark, .normal { try await $0.answer() }]

  static let all: [Scenario] = local + rounds + pages + care

  private static let local: [Scenario] = [
    Scenario(name: "open a new file", steps: []),
    Scenario(
      name: "insert", before: [three],
      steps: [.write { try $0.insert(Book(id: id(9), title: "Momo")) }]),
    Scenario(
      name: "insert, durably", before: [three],
      steps: [.write(.full) { try $0.insert(Book(id: id(9), title: "Momo")) }]),
    Scenario(
      name: "insert fifty at once",
      steps: [
        .write { tx in
          for number: UInt64 in 1...50 { try tx.insert(Book(id: id(number), title: "\(number)")) }
        }
      ]),
    Scenario(
      name: "insert one after another",
      steps: (1...5).map { number in
        .write { try $0.insert(Book(id: id(number), title: "\(number)")) }
      }),
    Scenario(
      name: "durable and not durable in turn",
      steps: (1...6).map { number in
        .write(number.isMultiple(of: 2) ? .full : .normal) {
          try $0.insert(Book(id: id(number), title: "\(number)"))
        }
      }),
    Scenario(
      name: "update one field", before: [three],
      steps: [.write { try $0.update(Book.self, id(1)) { $0.rating = 5 } }]),
    Scenario(
      name: "update several records", before: [three],
      steps: [
        .write { tx in
          for number: UInt64 in 1...3 {
            try tx.update(Book.self, id(number)) {
              $0.read = true
              $0.tags = ["a", "b"]
            }
          }
        }
      ]),
    Scenario(
      name: "delete", before: settled, steps: [.write { _ = try $0.delete(Book.self, id(2)) }]),
    Scenario(
      name: "insert and delete in one transaction", before: [three],
      steps: [
        .write { tx in
          try tx.insert(Book(id: id(8), title: "brief"))
          _ = try tx.delete(Book.self, id(8))
        }
      ]),
    Scenario(
      name: "two tables", before: [three],
      steps: [
        .write { tx in
          try tx.insert(Note(id: id(1), text: "the same id"))
          try tx.update(Book.self, id(1)) { $0.title = "Other" }
        }
      ]),
    Scenario(
      name: "seeds", before: [three],
      steps: [
        .write { tx in
          for number: UInt64 in 20...40 {
            _ = try tx.insertSeed(Book(id: id(number), title: "Seed \(number)"))
          }
        }
      ]),
    Scenario(
      name: "a long text", before: [three],
      steps: [
        .write { tx in
          try tx.insert(Book(id: id(7), title: String(repeating: "long ", count: 40_000)))
        }
      ]),
    Scenario(
      name: "the address and a note", before: [three],
      steps: [
        .normal { try await $0.opened().setServer("http://localhost:1") },
        .write(.full) { try $0.update(Book.self, id(1)) { $0.author = "Ende" } },
      ]),
  ]

  private static let rounds: [Scenario] = [
    Scenario(name: "mark", before: [three], steps: [.mark]),
    Scenario(
      name: "mark and settle", before: [three], steps: [.mark, .normal { try await $0.answer() }]),
    Scenario(
      name: "settle an update", before: settled,
      steps: [
        .write { try $0.update(Book.self, id(1)) { $0.read = true } }, .mark,
        .normal { try await $0.answer() },
      ]),
    Scenario(
      name: "an edit behind one in flight", before: [three, .mark],
      steps: [
        .write { try $0.update(Book.self, id(1)) { $0.title = "Behind" } }
      ]),
    Scenario(
      name: "settle under an edit", before: [three],
      steps: [
        .mark, .write { try $0.update(Book.self, id(2)) { $0.rating = 1 } },
        .normal { try await $0.answer() },
      ]),
    Scenario(
      name: "told that it came before", before: [three],
      steps: [.mark, .normal { try await $0.answer(.duplicate) }]),
    Scenario(
      name: "refused", before: [three],
      steps: [.mark, .normal { try await $0.answer(.rejected(.invalid, message: "no")) }]),
    Scenario(
      name: "put off", before: [three],
      steps: [
        .mark, .normal { try await $0.answer(.later(.needs, afterMilliseconds: 5_000)) },
      ]),
    Scenario(
      name: "no answer", before: [three],
      steps: [
        .mark, .normal { try await $0.opened().abandonRound() }, .mark,
        .normal { try await $0.answer() },
      ]),
    Scenario(
      name: "a retry is kept and forgotten", before: [three],
      steps: [
        .normal {
          try await $0.opened().saveRetry(after: .timedOut, failures: 2, milliseconds: 9_000)
        },
        .normal { try await $0.opened().clearRetry() },
      ]),
    Scenario(
      name: "settle a deletion", before: settled,
      steps: [
        .write { _ = try $0.delete(Book.self, id(1)) }, .mark, .normal { try await $0.answer() },
      ]),
  ]

  private static let pages: [Scenario] = [
    Scenario(
      name: "a first page",
      steps: [
        .normal { try await $0.opened().subscribe(to: "books") }, .ask,
        .normal { machine in
          let records = await machine.foreign(
            100...140, ["title": .text("far"), "read": .boolean(true)])
          try await machine.answer(records: records)
        },
      ]),
    Scenario(
      name: "a page under pending edits", before: settled,
      steps: [
        .write { try $0.update(Book.self, id(1)) { $0.title = "mine" } },
        .ask,
        .normal { machine in
          let records = await machine.foreign(1...3, ["author": .text("theirs")])
          try await machine.answer(.later(.unavailable, afterMilliseconds: 9), records: records)
        },
      ]),
    Scenario(
      name: "a page of deletions", before: settled,
      steps: [
        .ask,
        .normal { machine in
          let records = await machine.foreign(1...2, [:], deleted: true)
          try await machine.answer(records: records)
        },
      ]),
    Scenario(
      name: "a page of a table nobody knows", before: settled,
      steps: [
        .ask,
        .normal { machine in
          let records = await machine.foreign(50...55, table: "film", ["name": .text("Momo")])
          try await machine.answer(records: records)
        },
      ]),
    Scenario(
      name: "a page with fields nobody knows", before: settled,
      steps: [
        .ask,
        .normal { machine in
          let records = await machine.foreign(1...3, ["isbn": .text("1"), "title": .text("t")])
          try await machine.answer(records: records)
        },
      ]),
    Scenario(
      name: "two pages", before: settled,
      steps: [
        .ask,
        .normal { machine in
          try await machine.answer(records: await machine.foreign(60...70, ["title": .text("1")]))
        },
        .ask,
        .normal { machine in
          try await machine.answer(records: await machine.foreign(65...75, ["title": .text("2")]))
        },
      ]),
  ]

  private static let care: [Scenario] = [
    Scenario(name: "open and close", before: settled, steps: []),
    Scenario(
      name: "open as a newer app", before: settled + [three.renamed], steps: [], isNewer: true),
    Scenario(
      name: "write as a newer app", before: settled,
      steps: [
        .write { try $0.update(NewerBook.self, id(1)) { $0.publisher = "Insel" } }
      ], isNewer: true),
    Scenario(
      name: "enough for the log to be copied", before: [three],
      steps: [
        .write { tx in
          for number: UInt64 in 200...240 {
            try tx.insert(
              Book(id: id(number), title: String(repeating: "\(number) long ", count: 25_000)))
          }
        },
        .write(.full) { try $0.update(Book.self, id(1)) { $0.rating = 2 } },
        .write { try $0.update(Book.self, id(2)) { $0.rating = 3 } },
      ], isLong: true),
  ]
}

extension Step {
  /// The three books once more, changed.
  fileprivate var renamed: Step {
    .write { tx in
      for number: UInt64 in 1...3 { try tx.update(Book.self, id(number)) { $0.title = "renamed" } }
    }
  }
}

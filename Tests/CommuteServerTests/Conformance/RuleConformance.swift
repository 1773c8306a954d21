import CommuteCore
import CommuteServer
import Synchronization
import Testing

@Suite struct `what every store lets the rules of a server decide` {
  private struct Fault: Error, CustomStringConvertible {
    var description: String { "the price list at 10.0.0.7 does not answer" }
  }

  private static func word(_ verdict: Verdict?) -> String {
    switch verdict?.kind {
    case .applied: "applied"
    case .duplicate: "duplicate"
    case .rejected(let code, let message): "\(code.name.text): \(message)"
    case .later(let reason, let wait): "later \(reason.name.text) \(wait)"
    case nil: "none"
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `one that forbids is asked before one that refuses, each in its own words`(
    kind: StoreKind
  ) async throws {
    var rules = ServerRules()
    rules.refuse("book") { $0.text("title") == "" ? "a book needs a title" : nil }
    rules.forbid("book") { $0.isBy($0.lastAuthor) ? nil : "only its author may change it" }
    try await kind.withStore(rules: rules) { store in
      var ann = TestDevice(0xA, account: Account(tenant: "home", user: "ann"))
      var bob = TestDevice(0xB, account: Account(tenant: "home", user: "bob"))
      let made = try await store.round(
        &ann, [ann.operation(1, "Emma"), ann.operation(2, ""), ann.operation(3, "Dracula")])
      #expect(
        made.verdicts.map(Self.word) == ["applied", "invalid: a book needs a title", "applied"])
      let tried = try await store.round(
        &bob, [bob.operation(1, "", creates: false), bob.operation(4, "Persuasion")])
      #expect(
        tried.verdicts.map(Self.word) == ["forbidden: only its author may change it", "applied"])
      #expect(tried.verdicts.first?.record?.text("title") == "Emma")
      #expect(tried.verdicts.first?.revision?.number == 1)
      let own = try await store.round(&ann, [ann.operation(1, "Emma!", creates: false)])
      #expect(own.verdicts.map(Self.word) == ["applied"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `one that throws refuses nothing: the device asks again, its neighbours are settled`(
    kind: StoreKind
  ) async throws {
    let isBroken = Mutex(true)
    let said = Mutex<[String]>([])
    var rules = ServerRules()
    rules.pause = .seconds(30)
    rules.complain = { words in said.withLock { $0.append(words) } }
    rules.refuse("book") { change in
      if change.text("title") != "Emma", isBroken.withLock({ $0 }) { throw Fault() }
      return nil
    }
    try await kind.withStore(rules: rules) { store in
      var phone = TestDevice()
      let later = [phone.operation(2, "Dracula"), phone.operation(3, "Persuasion")]
      let answer = try await store.round(
        &phone, [phone.operation(1, "Emma"), later[0], later[1], phone.operation(4, "Emma")])
      #expect(
        answer.verdicts.map(Self.word)
          == ["applied", "later unavailable 30000", "later unavailable 30000", "applied"])
      #expect(said.withLock { $0.count } == 1)
      #expect(said.withLock { $0.first }?.contains("10.0.0.7") == true)
      #expect(!String(decoding: answer.encoded(), as: UTF8.self).contains("10.0.0.7"))
      isBroken.withLock { $0 = false }
      #expect(try await store.round(&phone, later).isAllApplied)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `one that says a book's worth is cut to a line`(kind: StoreKind) async throws {
    var rules = ServerRules()
    rules.refuse("book") { change in
      switch change.text("title") {
      case "long": String(repeating: "a\u{301}\nb", count: 3 << 20)
      case "blank": "\n\n"
      default: nil
      }
    }
    try await kind.withStore(rules: rules) { store in
      var phone = TestDevice()
      let answer = try await store.round(
        &phone,
        [phone.operation(1, "long"), phone.operation(2, "blank"), phone.operation(3, "Emma")])
      let words = answer.verdicts.map(Self.word)
      #expect(words[0].utf8.count <= ServerRules.reasonLimit + 9)
      #expect(words[0].hasPrefix("invalid: a\u{301} ba\u{301} b"))
      #expect(!words[0].contains("\n"))
      #expect(words[1] == "invalid: the server does not take this change")
      #expect(words[2] == "applied")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `one that is slow makes its own table wait, and no other`(kind: StoreKind) async throws {
    let start = ContinuousClock.now
    let passed = Mutex(Duration.zero)
    let asked = Mutex(0)
    let said = Mutex<[String]>([])
    var rules = ServerRules()
    rules.patience = .milliseconds(100)
    rules.pause = .seconds(10)
    rules.clock = { start + passed.withLock { $0 } }
    rules.complain = { words in said.withLock { $0.append(words) } }
    rules.refuse("book") { _ in
      asked.withLock { $0 += 1 }
      passed.withLock { $0 += .seconds(2) }
      return nil
    }
    rules.refuse("film") { $0.text("title") == "" ? "a film needs a title" : nil }
    try await kind.withStore(rules: rules) { store in
      var phone = TestDevice()
      var film = phone.operation(9, "Vertigo")
      film.key.table = "film"
      let operations = [phone.operation(1, "Emma"), phone.operation(2, "Dracula"), film]
      let answer = try await store.round(&phone, operations)
      #expect(
        answer.verdicts.map(Self.word) == ["applied", "later unavailable 10000", "applied"])
      #expect(asked.withLock { $0 } == 1)
      #expect(said.withLock { $0 }.map { $0.contains("took 2000 ms") } == [true])
      passed.withLock { $0 += .seconds(10) }
      #expect(try await store.round(&phone, [operations[1]]).isAllApplied)
      #expect(asked.withLock { $0 } == 2)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a new record has what its schema requires, unless its app is an older one`(
    kind: StoreKind
  ) async throws {
    let table = TableSchema(
      "book",
      fields: [FieldSchema("title", .text), FieldSchema("note", .text, isOptional: true)])
    let rules = ServerRules(try Schema(name: "library", version: 2, tables: [table]))
    try await kind.withStore(rules: rules) { store in
      var phone = TestDevice()
      var current = phone.operation(1, "lovely", in: "note")
      current.schema = 2
      let older = phone.operation(2, "lovely", in: "note")
      var unknown = phone.operation(3, "lovely", in: "note")
      (unknown.schema, unknown.key.table) = (2, "film")
      let answer = try await store.round(&phone, [current, older, unknown])
      #expect(
        answer.verdicts.map(Self.word)
          == ["invalid: book needs a title; update the app", "applied", "applied"])
    }
  }
}

import CommuteRelay

/// What the demonstration does, step by step, and what must be true after each.
struct DemoScript: Sendable {
  private static let book = "Northanger Abbey"
  private static let note = "for the book club in May"
  private static let newBook = "The Prisoner of Zenda"
  private static let newAuthor = "Anthony Hope"
  private static let notReached = "Server not reachable · 1 change waiting"

  let world: DemoWorld
  let sample: String
  let output: Output
  private(set) var failures: [String] = []
  private var step = 0

  init(world: DemoWorld, sample: String, output: Output) {
    self.world = world
    self.sample = sample
    self.output = output
  }

  /// Plays everything.
  mutating func play() async throws(Failure) {
    try await beginTogether()
    try await workApart()
    try await meetAgain()
    try await compare()
  }

  private mutating func beginTogether() async throws(Failure) {
    say("A server on its embedded database, and two devices, each behind a switch of its own")
    output.say("   \(padded("server"))  listens at http://127.0.0.1:\(world.server.port)")
    for device in [world.tablet, world.phone] {
      output.say("   \(padded(device.name))  reaches it through port \(device.relay.port)")
    }
    say("The \(world.tablet.name) imports the sample list; both sync")
    try await run(["import", sample], on: world.tablet)
    for device in [world.tablet, world.phone] {
      try await run(["sync", "--server", "http://127.0.0.1:\(device.relay.port)"], on: device)
    }
    let (tablet, phone, server) = try await held()
    check("a list of at least 100 books was imported", tablet.books.count >= 100)
    check(
      "both devices and the server hold the same \(tablet.books.count) books",
      tablet.lines == phone.lines && phone.lines == server.lines)
  }

  private mutating func workApart() async throws(Failure) {
    say("The \(world.phone.name)'s network is switched off; a book is ticked there all the same")
    await world.phone.relay.switchOff()
    let tick = try await run(["tick", Self.book, "--sync"], on: world.phone, expecting: 3)
    let isTold = tick.output.split(separator: "\n").contains { $0 == Self.notReached }
    check("it is told “\(Self.notReached)”", isTold)
    say("Meanwhile the \(world.tablet.name) writes a note on that book, and adds another one")
    try await run(["note", Self.book, Self.note], on: world.tablet)
    try await run(["add", Self.newBook, "--author", Self.newAuthor], on: world.tablet)
    try await sync(world.tablet)
    let (tablet, phone, server) = try await held()
    check("the tick is on the phone and nowhere else", isTicked(phone, tablet, server))
    check(
      "the note and the new book are on the server, and not on the phone",
      server.book(Self.book)?.notes == Self.note && server.book(Self.newBook) != nil
        && phone.book(Self.book)?.notes == "" && phone.book(Self.newBook) == nil)
  }

  private func isTicked(_ phone: HeldBooks, _ others: HeldBooks...) -> Bool {
    phone.book(Self.book)?.read == 1 && others.allSatisfy { $0.book(Self.book)?.read == 0 }
  }

  private mutating func meetAgain() async throws(Failure) {
    say("The \(world.phone.name)'s network is back; both sync")
    await world.phone.relay.switchOn()
    try await sync(world.phone)
    try await sync(world.tablet)
  }

  private mutating func compare() async throws(Failure) {
    say("What they hold now, read from the three database files by `sqlite3 -readonly`")
    let (tablet, phone, server) = try await held()
    let all = [tablet, phone, server]
    output.say()
    output.say(Self.table(tablet, phone, server).boxed.map { "   \($0)" })
    output.say()
    check(
      "the tick and the note are on both devices and on the server",
      all.allSatisfy { $0.book(Self.book)?.read == 1 && $0.book(Self.book)?.notes == Self.note })
    check(
      "the new book is on both devices and on the server",
      all.allSatisfy { $0.book(Self.newBook)?.author == Self.newAuthor })
    check(
      "all three files hold the same \(server.books.count) books",
      all.allSatisfy { $0.lines == server.lines })
    check("nothing waits to be sent", all.allSatisfy { $0.waiting == 0 })
  }

  private static func table(
    _ tablet: HeldBooks, _ phone: HeldBooks, _ server: HeldBooks
  ) -> TextTable {
    let all = [tablet, phone, server]
    var table = TextTable(["", "kitchen tablet", "pocket phone", "server"], widthLimit: 28)
    func row(_ name: String, _ cell: (HeldBooks) -> String) {
      table.rows.append([name] + all.map(cell))
    }
    for title in [book, newBook] {
      row(title) { $0.book(title)?.author ?? "not here" }
      row("  read") { held in held.book(title).map { $0.read == 1 ? "✓" : "·" } ?? "" }
      row("  note") { $0.book(title)?.notes ?? "" }
    }
    row("books") { "\($0.books.count)" }
    row("changes waiting") { "\($0.waiting)" }
    row("SHA-256 of all") { "\($0.fingerprint)…" }
    return table
  }

  private func held() async throws(Failure) -> (HeldBooks, HeldBooks, HeldBooks) {
    (
      try await HeldBooks.read(world.tablet.database, .device),
      try await HeldBooks.read(world.phone.database, .device),
      try await HeldBooks.read(world.serverDatabase, .server)
    )
  }

  // MARK: Acting and checking

  private mutating func sync(_ device: DemoWorld.Device) async throws(Failure) {
    try await run(["sync"], on: device)
  }

  /// Runs a command on a device, and shows it with what it said.
  @discardableResult
  private mutating func run(
    _ words: [String], on device: DemoWorld.Device, expecting code: Int32 = 0
  ) async throws(Failure) -> ChildProcess.Outcome {
    let outcome = try await world.books(words, on: device)
    if Task.isCancelled { throw Failure(.refused, "interrupted") }
    output.say("   \(padded(device.name))$ commute books \(Self.typed(words))")
    let lines = (outcome.output + (outcome.code == code ? "" : outcome.complaint))
      .split(whereSeparator: \.isNewline)
    for line in lines where !line.hasPrefix("columns not taken") {
      output.say("   \(padded(""))  \(line)")
    }
    if outcome.code != code {
      check("`\(Self.typed(words))` ends with \(code), not \(outcome.code)", false)
    }
    return outcome
  }

  /// Says whether a promise was kept.
  mutating func check(_ promise: String, _ isTrue: Bool) {
    output.say("   \(isTrue ? "✓" : "✗") \(promise)")
    if !isTrue { failures.append(promise) }
  }

  private mutating func say(_ heading: String) {
    step += 1
    output.say(["", "\(step). \(heading)"])
  }

  private func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(0, 15 - name.count))
  }

  private static func typed(_ words: [String]) -> String {
    words.map { $0.contains(" ") ? "\"\($0)\"" : $0 }.joined(separator: " ")
  }
}

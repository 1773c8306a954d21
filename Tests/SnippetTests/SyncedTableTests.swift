import CommuteCore
import CommuteStore
import StoreSupport
import Testing

// snippet: song
struct Song: Record, Equatable {
  var id = RecordID.zero
  var title = ""
  var plays = 0
  var best = 0
  var moods: [String] = []
  var lyrics = ""

  static let table = Table("song", feed: "music", blank: Song()) {
    Column("title", \.title)
    Column("plays", \.plays, merge: .counter)
    Column("best", \.best, merge: .maximum)
    Column("moods", \.moods, merge: .set)
    Column("lyrics", \.lyrics, merge: .text)
  }
}
// end

// snippet: message
struct Message: Record {
  var id = RecordID.zero
  var text = ""

  static let table = Table("message", blank: Message()) {
    Column("text", \.text)
  }
}
// end

// snippet: label
struct Label: Record, Equatable {
  var id = RecordID.zero
  var name = ""
  var color: String?
  var icon: String?

  static let table = Table("label", feed: "music", rule: .editRevives, blank: Label()) {
    Column("name", \.name)
    Column("color", \.color)
    Column("icon", \.icon)
    Unique(\.name, across: .sameRecord)
  }
}
// end

@Suite struct SyncedTableTests {
  let phone: Store
  let tablet: Store
  let phoneTime = TestClock()
  let tabletTime = TestClock()

  init() throws {
    phone = try Self.device("phone", seed: 1, phoneTime)
    tablet = try Self.device("tablet", seed: 2, tabletTime)
  }

  private static func device(
    _ name: String, seed: UInt64, _ time: TestClock
  ) throws -> Store {
    var options = StoreOptions(schemaName: "music", deviceName: name)
    options.clock = time.clock
    options.randomSeed = seed
    return try Store.inMemory(
      tables: [Song.table, Message.table, Label.table], options: options)
  }

  /// Both devices exchange everything.
  private func exchange(with server: SmallServer) async throws {
    for store in [phone, tablet, phone, tablet] { try await sync(store, with: server) }
  }

  private func sync(_ store: Store, with server: SmallServer) async throws {
    try await store.sync(with: server, time: store.options.clock.wall())
  }

  @Test func `what two devices did apart is all there`() async throws {
    let server = SmallServer(tables: [Song.table.schema])
    try await phone.write { tx in
      try tx.insert(Song(id: id(1), title: "Yesterday", lyrics: "all my troubles seemed far away"))
    }
    try await exchange(with: server)
    try await phone.write { tx in
      try tx.update(Song.self, id(1)) { song in
        song.plays += 1
        song.best = 7
        song.moods.append("calm")
        song.lyrics = "all my troubles seemed so far away"
      }
    }
    try await tablet.write { tx in
      try tx.update(Song.self, id(1)) { song in
        song.plays += 2
        song.best = 5
        song.moods.append("late")
        song.lyrics = "Yesterday, all my troubles seemed far away"
      }
    }
    try await exchange(with: server)
    let one = try await phone.fetch(Song.self, id(1))
    let other = try await tablet.fetch(Song.self, id(1))
    #expect(one == other)
    #expect(one?.plays == 3 && one?.best == 7 && Set(one?.moods ?? []) == ["calm", "late"])
    #expect(one?.lyrics == "Yesterday, all my troubles seemed so far away")
  }

  @Test func `a key that is the record makes one of two`() async throws {
    let server = SmallServer(tables: [Label.table.schema])
    let one = try await phone.write { tx in try tx.insert(Label(name: "calm", color: "blue")) }
    let other = try await tablet.write { tx in try tx.insert(Label(name: "calm", icon: "moon")) }
    #expect(one == other)
    try await exchange(with: server)
    let labels = try await phone.read { tx in try tx.fetch(Label.all) }
    let others = try await tablet.read { tx in try tx.fetch(Label.all) }
    #expect(labels.count == 1 && labels == others && labels[0].name == "calm")
    try await phone.write { tx in try tx.delete(Label.self, one) }
    phoneTime.advance(1_000)
    tabletTime.advance(2_000)
    try await tablet.write { tx in try tx.set(\Label.icon, to: "sun", on: one) }
    try await exchange(with: server)
    let revived = try await phone.fetch(Label.self, one)
    #expect(revived?.icon == "sun")
  }

  @Test func `a record goes into the feed that its insert names`() async throws {
    let store = phone
    // snippet: feeds
    try await store.write { tx in
      try tx.insert(Message(text: "Dinner at eight"), feed: "chat-42")
    }
    try await store.subscribe(to: "chat-43")
    // end
    let feeds = try await store.device().feeds.names.map(\.text)
    #expect(feeds.contains("chat-42") && feeds.contains("chat-43"))
  }

  private func decide(_ store: Store, _ show: @Sendable (String) async -> Void) async throws {
    // snippet: inbox
    for entry in try await store.inbox() {
      await show(entry.message)
      if entry.creates {
        try await store.edit(entry, as: Song.self) { $0.title = "Untitled" }
      } else {
        try await store.discard(entry)
      }
    }
    // end
  }

  @Test func `what the server refuses waits for a decision`() async throws {
    let server = SmallServer(tables: [Song.table.schema]) { proposal in
      proposal.after.fields["title"]?.value == .text("") ? "a song needs a title" : nil
    }
    try await phone.write { tx in try tx.insert(Song(id: id(1))) }
    try await sync(phone, with: server)
    // Nothing is lost: the song is in the inbox.
    let store = phone
    // snippet: counts
    let counts = try await store.counts()
    // end
    #expect(counts == StoreCounts(refused: 1))
    let (seen, seeing) = AsyncStream<String>.makeStream()
    try await decide(phone) { seeing.yield($0) }
    seeing.finish()
    var words: [String] = []
    for await line in seen { words.append(line) }
    #expect(words == ["a song needs a title"])
    try await exchange(with: server)
    let title = try await tablet.fetch(Song.self, id(1))?.title
    #expect(title == "Untitled")
  }

  private func look(
    at store: Store, keeps: @Sendable (FieldValue, FieldValue?) async -> Bool
  ) async throws {
    // snippet: conflicts
    for entry in try await store.conflicts() {
      if await keeps(entry.conflict.lost, entry.conflict.kept) {
        try await store.restore(entry)
      } else {
        try await store.dismiss(entry)
      }
    }
    // end
  }

  @Test func `a value that lost unseen is told to the one who wrote it`() async throws {
    let server = SmallServer(tables: [Song.table.schema])
    try await phone.write { tx in try tx.insert(Song(id: id(1), title: "Yesterday")) }
    try await exchange(with: server)
    phoneTime.advance(1_000)
    tabletTime.advance(2_000)
    try await phone.write { tx in try tx.set(\Song.title, to: "Yesterdays", on: id(1)) }
    try await tablet.write { tx in try tx.set(\Song.title, to: "Tomorrow", on: id(1)) }
    try await sync(tablet, with: server)
    try await exchange(with: server)
    let before = try await phone.fetch(Song.self, id(1))?.title
    #expect(before == "Tomorrow")
    try await look(at: phone) { lost, kept in
      #expect(lost == .text("Yesterdays") && kept == .text("Tomorrow"))
      return true
    }
    try await exchange(with: server)
    let after = try await tablet.fetch(Song.self, id(1))?.title
    #expect(after == "Yesterdays")
    let left = try await phone.conflicts()
    #expect(left == [])
  }
}

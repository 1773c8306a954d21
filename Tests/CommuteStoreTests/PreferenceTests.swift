import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import Observation
import StoreSupport
import Synchronization
import Testing

extension PreferenceKey where Value == Bool {
  fileprivate static let largeText = PreferenceKey("large-text", default: false)
}

extension PreferenceKey where Value == String {
  fileprivate static let theme = PreferenceKey("theme", default: "light", reach: .account)
}

extension PreferenceKey where Value == Int {
  fileprivate static let goal = PreferenceKey("goal", default: 12, reach: .account)
}

extension PreferenceKey where Value == Shelf {
  fileprivate static let shelf = PreferenceKey("shelf", default: Shelf.reading, reach: .account)
}

@Suite struct PreferenceTests {
  let folder: TemporaryStore
  let server = SmallServer()

  init() throws {
    folder = try TemporaryStore()
  }

  private func open(
    change: (inout StoreOptions) -> Void = { _ in }
  ) throws(StoreError) -> Store {
    try folder.open { options in
      options.syncsPreferences = true
      change(&options)
    }
  }

  /// A second device of the same account.
  private func second() throws(StoreError) -> Store {
    var options = folder.options(seed: 2)
    options.syncsPreferences = true
    options.hostDirectory = nil
    return try Store("\(folder.path)/second", tables: [Book.table], options: options)
  }

  @Test func `a setting is its default until it is set, and is kept`() async throws {
    let store = try open()
    #expect(store.preferences[.largeText] == false)
    #expect(store.preferences[.theme] == "light")
    try await store.preferences.set(.largeText, to: true)
    try await store.preferences.set(.theme, to: "dark")
    #expect(store.preferences[.largeText] == true)
    #expect(store.preferences[.theme] == "dark")
    await store.close()
    // Reading waits for nothing, not even for a store that is open.
    #expect(store.preferences[.theme] == "dark")
    let again = try open()
    #expect(again.preferences[.largeText] == true)
    #expect(again.preferences[.theme] == "dark")
    try await again.preferences.reset(.largeText)
    try await again.preferences.reset(.theme)
    #expect(again.preferences[.largeText] == false)
    #expect(again.preferences[.theme] == "light")
    #expect(try folder.value("SELECT count(*) FROM c_preference") == .integer(0))
  }

  @Test func `settings of a device stay there, those of the account are queued once`() async throws
  {
    let store = try open()
    try await store.preferences.set(.largeText, to: true)
    #expect(try folder.value("SELECT count(*) FROM c_outbox") == .integer(0))
    try await store.preferences.set(.theme, to: "dark")
    try await store.preferences.set(.goal, to: 40)
    try await store.preferences.set(.goal, to: 40)
    let rows = try folder.rows("SELECT tbl, feed FROM c_outbox")
    #expect(rows == [[.text("preferences"), .text("preferences")]])
  }

  @Test func `two devices that set different settings both keep theirs`() async throws {
    let one = try open()
    let two = try second()
    try await one.preferences.set(.theme, to: "dark")
    try await two.preferences.set(.goal, to: 40)
    for _ in 0..<2 {
      try await one.syncAll(with: server)
      try await two.syncAll(with: server)
    }
    for store in [one, two] {
      #expect(store.preferences[.theme] == "dark")
      #expect(store.preferences[.goal] == 40)
    }
    #expect(server.records.count == 1)
    try await two.preferences.set(.theme, to: "sepia")
    try await two.syncAll(with: server)
    try await one.syncAll(with: server)
    #expect(one.preferences[.theme] == "sepia")
    let refused = try await one.counts().refused + two.counts().refused
    #expect(refused == 0)
  }

  @Test func `settings that this version does not know are kept`() async throws {
    let store = try open()
    let key = try await {
      try await store.preferences.set(.theme, to: "dark")
      try await store.syncAll(with: server)
      return try #require(server.records.keys.first)
    }()
    server.put(
      key.table, key.id, feed: "preferences",
      ["newer": .list(["a", "b"]), "shelf": .text("attic")], time: 1_800_000_000_000)
    try await store.syncAll(with: server)
    // A case that this version does not know is the default, and stays what it is.
    #expect(store.preferences[.shelf] == .reading)
    try await store.preferences.set(.theme, to: "sepia")
    try await store.syncAll(with: server)
    let held = server.records[key]?.state
    #expect(held?.fields["newer"]?.value == .list(["a", "b"]))
    #expect(held?.fields["shelf"]?.value == .text("attic"))
    #expect(held?.fields["theme"]?.value == .text("sepia"))
  }

  @Test func `a setting is observed, with each value once`() async throws {
    let store = try open()
    var themes = store.preferences.values(of: .theme).makeAsyncIterator()
    let first = try await themes.next()
    #expect(first == "light")
    try await store.preferences.set(.goal, to: 1)
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    try await store.preferences.set(.theme, to: "dark")
    let second = try await themes.next()
    #expect(second == "dark")
  }

  @Test func `what another process sets is seen`() async throws {
    let store = try open { $0.pollMilliseconds = 10 }
    #expect(store.preferences[.theme] == "light")
    let other = try open { $0.randomSeed = 7 }
    var themes = store.preferences.values(of: .theme).makeAsyncIterator()
    _ = try await themes.next()
    try await other.preferences.set(.theme, to: "dark")
    let theme = try await themes.next()
    #expect(theme == "dark")
    // Memory follows with the same look at the file, in whichever order.
    try await store.write { _ in }
    #expect(store.preferences[.theme] == "dark")
  }

  @Test func `a setting is written together with records, or not at all`() async throws {
    let store = try open()
    await #expect(throws: StoreError.self) {
      try await store.write { tx in
        try tx.set(.theme, to: "dark")
        try tx.set(.largeText, to: true)
        #expect(try tx.preference(.theme) == "dark")
        try tx.update(Book.self, id(1)) { $0.title = "is not there" }
      }
    }
    #expect(store.preferences[.theme] == "light")
    #expect(store.preferences[.largeText] == false)
    #expect(try folder.value("SELECT count(*) FROM c_unknown") == .integer(0))
  }

  @Test func `what was set without an account goes along at sign-in`() async throws {
    let before = try open()
    try await before.preferences.set(.theme, to: "dark")
    await before.close()
    let anna = Account(tenant: "acme", user: "anna")
    let store = try open { $0.account = anna }
    #expect(store.preferences[.theme] == "dark")
    let rows = try folder.rows("SELECT count(*), count(DISTINCT id) FROM c_outbox")
    #expect(rows == [[.integer(1), .integer(1)]])
    try await store.syncAll(with: server)
    #expect(server.records.count == 1)
    let counts = try await store.counts()
    #expect(counts == StoreCounts())
  }

  @Test func `wrong use is said by name`() async throws {
    let plain = try folder.open()
    let error = await #expect(throws: StoreError.self) {
      try await plain.preferences.set(.theme, to: "dark")
    }
    #expect(error?.message.contains("StoreOptions.syncsPreferences") == true)
    let odd = PreferenceKey("with space", default: 1)
    await #expect(throws: StoreError.self) { try await plain.preferences.set(odd, to: 2) }
    await #expect(
      throws: StoreError.value(table: "preferences", column: "theme", problem: .containsNUL)
    ) {
      try await plain.preferences.set(.theme, to: "a\0b")
    }
  }

  @Test @MainActor func `a model of a setting shows at once and is written`() async throws {
    let store = try open()
    let theme = ObservedPreference(.theme, in: store)
    let running = Task { await theme.run() }
    let isTold = Mutex(false)
    withObservationTracking {
      _ = theme.value
    } onChange: {
      isTold.withLock { $0 = true }
    }
    theme.value = "dark"
    #expect(theme.value == "dark" && isTold.withLock { $0 })
    await theme.written()
    #expect(store.preferences[.theme] == "dark")
    #expect(theme.problem == nil)
    await store.close()
    theme.value = "lost"
    await theme.written()
    #expect(theme.value == "dark")
    #expect(theme.problem == StoreError.closed.message)
    await running.value
  }
}

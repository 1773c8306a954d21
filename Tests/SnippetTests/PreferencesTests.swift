import CommuteCore
import CommuteStore
import Testing

// snippet: preference-keys
extension PreferenceKey where Value == Bool {
  static let largeText = PreferenceKey("largeText", default: false)
}

extension PreferenceKey where Value == Shelf {
  static let openingShelf = PreferenceKey("openingShelf", default: .reading, reach: .account)
}
// end

@Suite struct PreferencesTests {
  let store: Store

  init() throws {
    var options = StoreOptions(schemaName: "library")
    options.clock = TestClock().clock
    // snippet: sync-preferences
    options.syncsPreferences = true
    // end
    store = try Store.inMemory(tables: [Book.table], options: options)
  }

  @Test func `settings are read from memory and written like anything`() async throws {
    // snippet: preferences
    let isLarge = store.preferences[.largeText]
    try await store.preferences.set(.openingShelf, to: .wanted)
    try await store.write { tx in
      try tx.set(.largeText, to: !isLarge)
      try tx.insert(Book(title: "Momo"))
    }
    // end
    #expect(store.preferences[.largeText])
    #expect(store.preferences[.openingShelf] == .wanted)
    let waiting = try await store.counts().waiting
    #expect(waiting == 2)
    try await store.preferences.reset(.openingShelf)
    #expect(store.preferences[.openingShelf] == .reading)
  }

  private func follow(_ show: @Sendable (Shelf) async -> Void) async throws {
    // snippet: observed-preference
    for try await shelf in store.preferences.values(of: .openingShelf) {
      await show(shelf)
    }
    // end
  }

  @Test func `a setting is observed`() async throws {
    let (seen, seeing) = AsyncStream<Shelf>.makeStream()
    let following = Task { try await follow { seeing.yield($0) } }
    var shelves = seen.makeAsyncIterator()
    let first = await shelves.next()
    try await store.preferences.set(.openingShelf, to: .done)
    let second = await shelves.next()
    #expect(first == .reading && second == .done)
    await store.close()
    try await following.value
  }

  @MainActor @Test func `a setting for a screen shows at once`() async throws {
    // snippet: preference-model
    let largeText = ObservedPreference(.largeText, in: store)
    largeText.value = true
    await largeText.written()
    // end
    #expect(largeText.value && largeText.problem == nil)
    #expect(store.preferences[.largeText])
  }
}

import CommuteCore
import CommuteFeatures
import CommuteHTTP
import CommuteImport
import CommuteStore
import CommuteSync

/// The product: its store, its driver and its reading list, as an app would use them.
final class OwnClient: StoryClient {
  private let store: Store
  private let driver: SyncDriver
  private let books: ReadingListRepository

  init(_ setting: DeviceSetting) throws {
    var options = StoreOptions(
      schemaName: ReadingList.schemaName, schemaVersion: ReadingList.schemaVersion,
      deviceName: setting.name.rawValue)
    options.clock = setting.clock.storeClock
    options.hostDirectory = setting.hostFolder
    options.randomSeed = setting.seed
    var folder = setting.folder
    if let account = setting.person?.account {
      let accounts = DeviceAccounts(folder, options: options)
      try accounts.signIn(account)
      folder = try accounts.directory(of: account)
      options.account = account
    }
    store = try Store(folder, tables: ReadingList.tables, options: options)
    var settings = SyncSettings(server: setting.server) { setting.person?.token }
    // Stories decide themselves when to try again.
    settings.sleep = { _ in try await Forever.wait() }
    settings.draw = { 0 }
    driver = SyncDriver(store: store, client: Network.makeClient(), settings: settings)
    books = ReadingListRepository(store: store)
  }

  func perform(_ edit: Edit) async throws {
    switch edit {
    case .add(let title): try await books.add(CommuteFeatures.Book(title: title))
    case .take(let title): _ = try await books.importBooks([ImportedBook(title: title)])
    case .tick(let title): try await books.tick(id(of: title))
    case .note(let title, let text): try await books.note(id(of: title), text)
    case .delete(let title): try await books.delete(id(of: title))
    }
  }

  private func id(of title: String) async throws -> RecordID {
    let found = try await books.books().first { $0.title == title }
    guard let found else { throw StoryError("there is no “\(title)”") }
    return found.id
  }

  func sync() async throws -> Bool {
    let report = await driver.sync()
    switch report.status {
    case .idle, .pending: return true
    case .offline: return false
    default: throw StoryError(report.status.text)
    }
  }

  func letGo() async throws -> [String] {
    let entries = try await store.inbox()
    for entry in entries { try await store.discard(entry) }
    return entries.compactMap { entry in
      if case .text(let note) = entry.values["notes"] { note } else { nil }
    }
  }

  func leftovers() async throws -> [String] {
    let counts = try await store.counts()
    var left: [String] = []
    if counts.waiting > 0 { left.append("\(counts.waiting) of its changes still wait") }
    if counts.refused > 0 { left.append("\(counts.refused) of its changes were refused") }
    if counts.quarantined > 0 { left.append("\(counts.quarantined) records are set aside") }
    return left
  }

  func close() async {
    await driver.stop()
    await store.close()
  }

  var onDevice: SQLReading {
    SQLReading(
      file: store.databasePath,
      sql: "SELECT title, read, notes AS note FROM book ORDER BY title, note, read")
  }

  static func onServer(tenant: String) -> String {
    """
    SELECT json_extract(state, '$.fields.title') AS title,
      coalesce(json_extract(state, '$.fields.read'), 0) AS read,
      coalesce(json_extract(state, '$.fields.notes'), '') AS note
    FROM record WHERE tenant = '\(tenant)' AND tbl = 'book' AND deleted IS NULL
    ORDER BY title, note, read
    """
  }
}

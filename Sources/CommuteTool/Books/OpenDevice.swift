import CommuteCore
import CommuteFeatures
import CommuteStore
import CommuteSync
import Foundation

/// A device whose store is open.
struct OpenDevice: Sendable {
  /// The names under which a device remembers how it reaches its server.
  private enum Note {
    static let tokenFile = "books.token-file"
    static let certificateFile = "books.ca"
  }

  let store: Store
  let list: ReadingListRepository
  let options: DeviceOptions

  /// Opens a device, and makes it where there is none.
  static func open(_ options: DeviceOptions) throws(Failure) -> OpenDevice {
    let account = try options.tokenFile.map(TokenSource.init(path:))?.read().account
    do throws(StoreError) {
      let store = try store(options, account: account)
      return OpenDevice(
        store: store, list: ReadingListRepository(store: store), options: options)
    } catch {
      throw Failure(error)
    }
  }

  private static func store(
    _ options: DeviceOptions, account: Account?
  ) throws(StoreError) -> Store {
    var store = StoreOptions(
      account: account ?? .local, schemaName: ReadingList.schemaName,
      schemaVersion: ReadingList.schemaVersion, build: Build.name, deviceName: options.name)
    do throws(StoreError) {
      return try Store(options.directory, tables: ReadingList.tables, options: store)
    } catch .wrongOwner(let found, _) where account == nil {
      // Nobody said whose data it should be: whoever owns the file may read it without a token.
      guard let owner = Account(owner: found) else {
        throw .wrongOwner(found: found, wanted: Account.local.owner)
      }
      store.account = owner
      return try Store(options.directory, tables: ReadingList.tables, options: store)
    }
  }

  /// How the device reaches its server; nil where no server is known.
  func way() async throws(Failure) -> ServerWay? {
    do {
      let known = try await store.server()
      let (tokenFile, certificateFile) = try await store.write { tx in
        (tx.note(Note.tokenFile), tx.note(Note.certificateFile))
      }
      guard let server = options.server ?? known else { return nil }
      return ServerWay(
        server: server, tokenFile: options.tokenFile ?? tokenFile,
        certificateFile: options.certificateFile ?? certificateFile)
    } catch {
      throw Failure(error)
    }
  }

  /// Keeps the way that led to a server.
  func remember(_ way: ServerWay) async throws(Failure) {
    do {
      try await store.setServer(way.server)
      try await store.write { tx in
        tx.setNote(Note.tokenFile, way.tokenFile)
        tx.setNote(Note.certificateFile, way.certificateFile)
      }
    } catch {
      throw Failure(error)
    }
  }
}

/// How a device reaches its server.
struct ServerWay: Hashable, Sendable {
  var server: String
  var tokenFile: String?
  var certificateFile: String?
}

extension Failure {
  /// Translates what the reading list and its store throw.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as StoreError: self = Self.store(error)
    case ReadingListError.store(let error): self = Self.store(error)
    case let error as ReadingListError: self.init(.refused, error.description)
    default: self.init(.storage, "\(error)")
    }
  }

  private static func store(_ error: StoreError) -> Failure {
    switch error {
    case .refused, .value, .wrongOwner, .syncedElsewhere: Failure(.refused, error.message)
    default: Failure(.storage, error.message)
    }
  }
}

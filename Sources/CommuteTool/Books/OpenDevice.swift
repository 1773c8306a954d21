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
    /// The server that answered last.
    static let answered = "books.answered"
  }

  let store: Store
  let list: ReadingListRepository
  let options: DeviceOptions

  /// Opens a device, and makes it where there is none.
  static func open(_ options: DeviceOptions) throws(Failure) -> OpenDevice {
    let place = try DevicePlace(options)
    if options.startsAnew { try place.requireLoss() }
    return try open(options, at: place)
  }

  /// Opens the file of an account of a device.
  static func open(
    _ options: DeviceOptions, at place: DevicePlace
  ) throws(Failure) -> OpenDevice {
    do throws(StoreError) {
      let store = try store(options, at: place)
      if let reason = store.readOnlyReason {
        FileHandle.standardError.write(Data("commute: only reading: \(reason.message)\n".utf8))
      }
      return OpenDevice(
        store: store, list: ReadingListRepository(store: store), options: options)
    } catch .wrongOwner(let found, let wanted) {
      throw Failure(
        .refused,
        "the database belongs to \(found), not to \(wanted); sign in as its owner, or"
          + " give \(wanted) a file of its own with `commute account use --token-file FILE`")
    } catch {
      throw Failure(error)
    }
  }

  private static func store(
    _ options: DeviceOptions, at place: DevicePlace
  ) throws(StoreError) -> Store {
    var store = StoreOptions(
      account: place.account ?? .local, schemaName: ReadingList.schemaName,
      schemaVersion: ReadingList.schemaVersion, build: Build.name, deviceName: options.name)
    store.startsAnew = options.startsAnew
    do throws(StoreError) {
      return try Store(place.directory, tables: ReadingList.tables, options: store)
    } catch .wrongOwner(let found, _) where place.account == nil {
      // Nobody said whose data it should be: whoever owns the file may read it without a token.
      guard let owner = Account(owner: found) else {
        throw .wrongOwner(found: found, wanted: Account.local.owner)
      }
      store.account = owner
      return try Store(place.directory, tables: ReadingList.tables, options: store)
    }
  }

  /// How the device reaches its server; nil where no server is known.
  func way() async throws(Failure) -> ServerWay? {
    do {
      let known = try await store.server()
      let tokenFile = try await store.note(Note.tokenFile)
      let certificateFile = try await store.note(Note.certificateFile)
      let answered = try await store.note(Note.answered)
      guard let server = options.server ?? known else { return nil }
      return ServerWay(
        server: server, tokenFile: options.tokenFile ?? tokenFile,
        certificateFile: options.certificateFile ?? certificateFile,
        hasAnswered: answered == server)
    } catch {
      throw Failure(error)
    }
  }

  /// Keeps the way to the server as far as the command line names it, whether anybody is there
  /// now or not.
  func rememberWay() async throws(Failure) {
    let options = options
    do {
      if let server = options.server, try await store.server() != server {
        try await store.setServer(server)
      }
      guard options.tokenFile != nil || options.certificateFile != nil else { return }
      try await store.write { tx in
        if let path = options.tokenFile { tx.setNote(Note.tokenFile, path) }
        if let path = options.certificateFile { tx.setNote(Note.certificateFile, path) }
      }
    } catch {
      throw Failure(error)
    }
  }

  /// Forgets where the token is.
  func forgetToken() async throws(Failure) {
    do {
      try await store.write { tx in tx.setNote(Note.tokenFile, nil) }
    } catch {
      throw Failure(error)
    }
  }

  /// Notes that a server has answered.
  func noteAnswer(of way: ServerWay) async throws(Failure) {
    if way.hasAnswered { return }
    do {
      try await store.write { tx in tx.setNote(Note.answered, way.server) }
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
  /// Whether this server was the last that answered.
  var hasAnswered = false
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
    case .refused, .value, .creationRefused, .taken, .recordTooLarge, .tooManyFeeds, .wrongOwner:
      Failure(.refused, error.message)
    case .syncedElsewhere: Failure(.notReached, error.message)
    case .missing(_, .onlyLogLeft): Failure(.storage, error.message)
    case .missing: Failure(.storage, "\(error.message) with --new")
    default: Failure(.storage, error.message)
    }
  }
}

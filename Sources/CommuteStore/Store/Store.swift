public import CommuteCore
import CommuteSQLite
import Synchronization

/// The database of one device and account: records, and what is waiting to be synced.
///
/// ```swift
/// let store = try Store(directory, tables: [Book.table])
/// try await store.write { tx in try tx.insert(Book(title: "Momo", author: "Ende")) }
/// let unread = try await store.read { tx in try tx.fetch(Book.where(\.read == false)) }
/// for try await books in store.values(Book.order(by: \.title)) { show(books) }
/// ```
/// Writes are done by one connection, one transaction at a time: one that finds it idle is done
/// where it stands, others wait for the store's thread and share a transaction. Reads run on other
/// threads, each over one unchanging state; a single record is fetched where the caller stands.
public final class Store: Sendable {
  /// The folder that holds the database.
  public let directory: String
  /// The declared tables with their rules.
  public let schema: Schema
  /// What the store takes from the world.
  public let options: StoreOptions
  let folder: StoreFolder
  let writer: Writer
  let readers: Readers
  let observers: Observers
  let opening: StoreOpening
  let syncFlag = SyncClaim.Flag()
  let followsPreferences = Atomic(false)
  private let random: Locked<StoreRandom>
  let watch: Watch

  /// Opens the store in a folder, which is made where there is none.
  ///
  /// It reads the disk on the calling thread: some milliseconds. New tables and columns are made by
  /// themselves; what else a new version of the app has to do once to a file is said by
  /// `migrations`.
  ///
  /// - Throws: ``StoreError/newerSchema(found:known:)``, ``StoreError/wrongOwner(found:wanted:)``,
  ///   ``StoreError/corrupt(reason:)``, ``StoreError/missing(path:loss:)``,
  ///   ``StoreError/unreadable(path:reason:)``, ``StoreError/migration(step:reason:)`` and
  ///   ``StoreError/declaration(reason:)``; no record is lost then.
  public convenience init(
    _ directory: String, tables: [any TableDeclaration], migrations: [StoreMigration] = [],
    options: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    try self.init(
      StoreFolder(directory, hostDirectory: options.hostDirectory), tables: tables,
      migrations: migrations, options: options)
  }

  init(
    _ folder: StoreFolder, tables: [any TableDeclaration], migrations: [StoreMigration],
    options: StoreOptions
  ) throws(StoreError) {
    let observers = Observers()
    let opening = try StoreOpening(
      folder: folder, tables: tables.map(\.declared), migrations: migrations, options: options,
      observers: observers)
    let core = try opening.open()
    let shapes = core.shapes
    directory = folder.path
    self.opening = opening
    self.folder = folder
    self.observers = observers
    self.options = options
    // Another sequence than that of the writer, which draws from the same seed.
    random = Locked(StoreRandom(seed: options.randomSeed.map { ~$0 }))
    schema = opening.schema
    let writer = Writer(core)
    self.writer = writer
    let source: ReadSource =
      folder.isMemory ? .shared(writer) : .own(folder.place(options), shapes)
    readers = Readers(source, count: options.readerCount)
    watch = Watch(
      source, observers: observers, writer: writer, pollMilliseconds: options.pollMilliseconds)
  }

  /// Opens a store in memory, for previews and tests: it makes no file and is gone when closed.
  ///
  /// Each is independent of all others, and does whatever one on disk does, sync included. Reads
  /// wait for writes there.
  ///
  /// - Throws: ``StoreError/declaration(reason:)`` and ``StoreError/migration(step:reason:)``.
  public static func inMemory(
    tables: [any TableDeclaration], migrations: [StoreMigration] = [],
    options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> Store {
    var options = options
    options.key = nil
    options.isReadOnly = false
    return try Store(.memory, tables: tables, migrations: migrations, options: options)
  }

  deinit {
    observers.close()
    watch.stop()
    readers.stop()
    writer.stop()
  }

  /// The path of the database file, for people and for `sqlite3 -readonly`; `:memory:` where there
  /// is none.
  public var databasePath: String { folder.database }

  /// Writes, all or nothing.
  ///
  /// The closure runs on whatever thread does the writing; it must not wait for anything.
  /// `durability` says how safe the write is when the call returns.
  ///
  /// - Throws: What the closure throws, with nothing written; ``StoreError`` otherwise.
  /// - Returns: What the closure returns.
  @discardableResult
  public func write<Result: Sendable>(
    durability: Durability = .normal,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await writer.write(durability) { core in
      let transaction = WriteTransaction(core)
      return try body(transaction)
    }
  }

  /// Reads one state of the store on a thread of its own.
  ///
  /// - Throws: What the closure throws; ``StoreError`` otherwise.
  /// - Returns: What the closure returns.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      readers.add { session in
        continuation.resume(
          with: Swift.Result { try session.get().reading(body) })
      }
    }
  }

  /// Draws an id for a new record.
  public func newID() -> RecordID {
    random.withLock { random in
      RecordID.new(milliseconds: UInt64(clamping: options.clock.wall()), using: &random)
    }
  }

  /// How many transactions were committed since the store was opened.
  ///
  /// Several writes that come together share one.
  public var commitCount: Int { writer.commits.transactions.load(ordering: .relaxed) }

  /// How many writes those transactions held.
  public var writeCount: Int { writer.commits.writes.load(ordering: .relaxed) }

  /// Lets everything that waits be done, then closes the database; no lock is held afterwards.
  ///
  /// Later calls throw ``StoreError/closed``; observed queries end.
  public func close() async {
    observers.close()
    await watch.end()
    await readers.end()
    await writer.end()
  }

  /// Looks at the engine's own tables, as a reader.
  func look<Result: Sendable>(
    _ body: @escaping @Sendable (StoreConnection) throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    do {
      return try await read { tx in try body(tx.session) }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .query(reason: "\(error)")
    }
  }

  /// Runs the engine's own work in a transaction of the writer; long work on the store's thread.
  func perform<Result: Sendable>(
    _ durability: Durability = .normal, onThread: Bool = false,
    _ body: @escaping @Sendable (WriterCore) throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    do {
      return try await writer.write(durability, onThread: onThread) { core in try body(core) }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .query(reason: "\(error)")
    }
  }
}

extension StoreConnection {
  /// Runs a body in a transaction that reads.
  func reading<Result>(
    _ body: (borrowing ReadTransaction) throws -> Result
  ) throws -> Result {
    try speaking { () throws(SQLiteError) in try connection.begin(.deferred) }
    defer { connection.rollback() }
    return try inState(body)
  }

  /// Runs a body in the state that the connection sees already.
  ///
  /// Never inlined: Swift 6.3.1 stops ("Cannot initialize a nonCopyable type with a guaranteed
  /// value") where its optimizer inlines a closure that makes a transaction and lends it.
  @inline(never)
  func inState<Result, Failure: Error>(
    _ body: (borrowing ReadTransaction) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let transaction = ReadTransaction(self)
    return try body(transaction)
  }
}

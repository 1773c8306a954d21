public import CommuteCore
public import CommuteStore
public import Foundation

/// The reading list as a person uses it: every call is one transaction of the device's store.
///
/// Reading and writing go to the local database alone; what changed is queued in the same
/// transaction and sent whenever there is a server. What was done last can be undone, also after
/// the process has ended.
public struct ReadingListRepository: Sendable {
  /// Where the books are.
  public let store: Store
  let now: @Sendable () -> Date

  /// Makes a repository on a store that was opened with ``ReadingList/tables``.
  ///
  /// `now` is the clock that says when a book was read.
  public init(store: Store, now: @escaping @Sendable () -> Date = { Date() }) {
    self.store = store
    self.now = now
  }

  // MARK: Reading

  /// The books that pass a filter, in its order.
  public func books(_ filter: BookFilter = BookFilter()) async throws(ReadingListError) -> [Book] {
    let query = filter.query
    return filter.apply(to: try await read { tx in try tx.fetch(query) })
  }

  /// One book; nil where there is none.
  public func book(_ id: RecordID) async throws(ReadingListError) -> Book? {
    try await read { tx in try tx.fetch(Book.self, id) }
  }

  /// Finds the book that a person named.
  public func find(
    _ reference: BookReference
  ) async throws(ReadingListError) -> BookReference.Finding {
    reference.find(in: try await read { tx in try tx.fetch(Book.all) })
  }

  // MARK: Writing

  /// Adds a book; it gets an id of its own.
  ///
  /// - Throws: ``ReadingListError/refused(_:)`` without a title or with too many stars.
  /// - Returns: The book as it was stored.
  @discardableResult
  public func add(_ book: Book) async throws(ReadingListError) -> Book {
    var book = book
    book.id = .zero
    book.tags = Tags.normalized(book.tags)
    if book.read, book.readAt == nil { book.readAt = moment() }
    let new = book
    return try await write { tx in
      try Self.check(new)
      var added = new
      added.id = try tx.insert(new)
      try UndoList.push(.added([.init(added)]), "added \(added.title)", in: tx)
      return added
    }
  }

  /// Ticks a book as read, now; one that was read already keeps its day.
  @discardableResult
  public func tick(_ id: RecordID) async throws(ReadingListError) -> BookChange {
    let moment = moment()
    return try await change(id, "ticked") { book in
      if book.read { return }
      book.read = true
      book.readAt = moment
    }
  }

  /// Takes the tick from a book.
  @discardableResult
  public func untick(_ id: RecordID) async throws(ReadingListError) -> BookChange {
    try await change(id, "unticked") { book in
      book.read = false
      book.readAt = nil
    }
  }

  /// Writes the note of a book; the empty text takes it away.
  @discardableResult
  public func note(
    _ id: RecordID, _ text: String
  ) async throws(ReadingListError) -> BookChange {
    try await change(id, "wrote a note on") { $0.notes = text }
  }

  /// Gives a book one to five stars; nil takes them away.
  @discardableResult
  public func rate(_ id: RecordID, _ stars: Int?) async throws(ReadingListError) -> BookChange {
    try await change(id, "rated") { $0.rating = stars }
  }

  /// Adds and removes tags of a book.
  @discardableResult
  public func retag(
    _ id: RecordID, adding more: [String], removing less: [String] = []
  ) async throws(ReadingListError) -> BookChange {
    try await change(id, "tagged") { book in
      book.tags = Tags.adding(more, to: Tags.removing(less, from: book.tags))
    }
  }

  /// Changes a book in any way; only fields that really differ are stamped and sent.
  ///
  /// The verb says in the list of what can be undone what was done: `ticked`.
  @discardableResult
  public func change(
    _ id: RecordID, _ verb: String, _ change: @escaping @Sendable (inout Book) -> Void
  ) async throws(ReadingListError) -> BookChange {
    try await write { tx in
      guard let before = try tx.fetch(Book.self, id) else { throw ReadingListError.noSuchBook(id) }
      var after = before
      change(&after)
      after.id = id
      let fields = BookField.difference(before, after)
      guard !fields.isEmpty else { return BookChange(book: before, isChanged: false) }
      try Self.check(after)
      try tx.update(after)
      try UndoList.push(
        .changed(BookSnapshot(before), BookSnapshot(after)), "\(verb) \(after.title)", in: tx)
      return BookChange(book: after, isChanged: true)
    }
  }

  /// Deletes a book on all devices.
  ///
  /// - Returns: The book as it was.
  @discardableResult
  public func delete(_ id: RecordID) async throws(ReadingListError) -> Book {
    try await write { tx in
      guard let book = try tx.fetch(Book.self, id) else { throw ReadingListError.noSuchBook(id) }
      try tx.delete(Book.self, id)
      try UndoList.push(.deleted(BookSnapshot(book)), "deleted \(book.title)", in: tx)
      return book
    }
  }

  // MARK: Transactions

  /// Runs a transaction that writes.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Result
  ) async throws(ReadingListError) -> Result {
    do { return try await store.write(body) } catch { throw ReadingListError(error) }
  }

  /// Runs a transaction that reads.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> Result
  ) async throws(ReadingListError) -> Result {
    do { return try await store.read(body) } catch { throw ReadingListError(error) }
  }

  private static func check(_ book: Book) throws(ReadingListError) {
    if let objection = ReadingList.objection(title: book.title, rating: book.rating.map(Int64.init))
    {
      throw .refused(objection)
    }
  }

  /// The clock in whole milliseconds, as it is stored.
  private func moment() -> Date {
    Date(timeIntervalSince1970: (now().timeIntervalSince1970 * 1_000).rounded() / 1_000)
  }
}

/// What a change made of a book.
public struct BookChange: Hashable, Sendable {
  /// The book as it is now.
  public var book: Book
  /// Whether anything was really changed.
  public var isChanged: Bool
}

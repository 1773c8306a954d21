public import CommuteCore
import CommuteStore
public import CommuteSync
public import Observation

/// The reading list as a screen shows it, whatever the screen is made of.
///
/// It is filled from the database alone: what a person does here, what another process does and
/// what sync brings all arrive the same way, through ``run()``.
/// ```swift
/// let model = ReadingListModel(repository, statuses: driver.statuses)
/// async let running: Void = model.run()
/// await model.tick(book.id)
/// ```
@MainActor @Observable
public final class ReadingListModel {
  /// The books that pass the filter, in its order.
  public private(set) var books: [Book] = []
  /// How many books there are in all.
  public private(set) var total = 0
  /// Every tag and how many books have it, by name.
  public private(set) var tags: [TagCount] = []
  /// Whether the database was read yet; an empty list means something only then.
  public private(set) var isLoaded = false
  /// What sync is doing.
  public private(set) var status = SyncStatus.pending(waiting: 0)
  /// What went wrong last, in one line for people; nil again after the next success.
  public private(set) var problem: String?
  /// Which books are shown.
  public var filter: BookFilter { didSet { show() } }

  private let repository: ReadingListRepository
  private let statuses: AsyncStream<SyncStatus>?
  private var all: [Book] = []

  /// Makes a model that shows nothing until it runs.
  ///
  /// `statuses` is what a sync driver tells; nil where nothing is synced.
  public init(
    _ repository: ReadingListRepository, statuses: AsyncStream<SyncStatus>? = nil,
    filter: BookFilter = BookFilter()
  ) {
    self.repository = repository
    self.statuses = statuses
    self.filter = filter
  }

  /// Keeps the model in step with the database until the task is cancelled or the store closed.
  public func run() async {
    async let following: Void = follow()
    do {
      for try await books in repository.store.values(Book.all) {
        all = books
        isLoaded = true
        show()
      }
    } catch {
      problem = ReadingListError(error).description
    }
    await following
  }

  private func follow() async {
    guard let statuses else { return }
    for await status in statuses { self.status = status }
  }

  private func show() {
    let shown = filter.apply(to: all)
    // Whoever observes is told of changes only.
    if shown != books { books = shown }
    if total != all.count { total = all.count }
    let counted = TagCount.count(all)
    if counted != tags { tags = counted }
  }

  /// Adds a book.
  public func add(_ book: Book) async {
    await attempt { (repository) throws(ReadingListError) in try await repository.add(book) }
  }

  /// Ticks a book as read, or takes the tick away.
  public func setRead(_ id: RecordID, _ read: Bool) async {
    await attempt { (repository) throws(ReadingListError) in
      if read { try await repository.tick(id) } else { try await repository.untick(id) }
    }
  }

  /// Writes the note of a book.
  public func note(_ id: RecordID, _ text: String) async {
    await attempt { (repository) throws(ReadingListError) in try await repository.note(id, text) }
  }

  /// Gives a book one to five stars; nil takes them away.
  public func rate(_ id: RecordID, _ stars: Int?) async {
    await attempt { (repository) throws(ReadingListError) in try await repository.rate(id, stars) }
  }

  /// Adds and removes tags of a book.
  public func retag(_ id: RecordID, adding more: [String], removing less: [String]) async {
    await attempt { (repository) throws(ReadingListError) in
      try await repository.retag(id, adding: more, removing: less)
    }
  }

  /// Deletes a book on all devices.
  public func delete(_ id: RecordID) async {
    await attempt { (repository) throws(ReadingListError) in try await repository.delete(id) }
  }

  /// Takes back what was done last on this device.
  public func undo() async {
    await attempt { (repository) throws(ReadingListError) in try await repository.undo() }
  }

  private func attempt<Result: Sendable>(
    _ action: (ReadingListRepository) async throws(ReadingListError) -> Result
  ) async {
    do {
      _ = try await action(repository)
      problem = nil
    } catch {
      problem = error.description
    }
  }
}

/// A tag, and how many books have it.
public struct TagCount: Hashable, Sendable {
  /// The tag.
  public var tag: String
  /// How many books have it.
  public var count: Int

  /// Makes a count.
  public init(tag: String, count: Int) {
    self.tag = tag
    self.count = count
  }

  /// Counts the tags of books; they come in the order of their names.
  public static func count(_ books: [Book]) -> [TagCount] {
    var counts: [Key: Int] = [:]
    for book in books {
      for tag in book.tags { counts[Key(tag), default: 0] += 1 }
    }
    return counts.map { TagCount(tag: $0.key.text, count: $0.value) }
      .sorted { one, other in
        let (left, right) = (FoldedText(one.tag), FoldedText(other.tag))
        return left == right ? Key(one.tag) < Key(other.tag) : left < right
      }
  }
}

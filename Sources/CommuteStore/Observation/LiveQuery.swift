public import Observation

/// The records of a query as a view model shows them: read at once, kept in step with the store.
///
/// ```swift
/// let unread = LiveQuery(Book.where(\.read == false).order(by: \.title), in: store)
/// Text("\(unread.records.count) to read")
/// ```
/// It observes for as long as it lives.
@MainActor @Observable
public final class LiveQuery<Model: Record> {
  /// The records in the query's order.
  public private(set) var records: [Model] = []
  /// Whether the store was read yet; no records mean something only then.
  public private(set) var isLoaded = false
  /// Why the query cannot be read; observing has ended then, until another query is given.
  public private(set) var error: (any Error)?
  /// What is observed; another one takes the place of the records once it is read.
  public var query: Query<Model> {
    didSet { observe() }
  }

  @ObservationIgnored private let store: Store
  @ObservationIgnored private var task: Task<Void, Never>?

  /// Begins to observe.
  public init(_ query: Query<Model>, in store: Store) {
    self.query = query
    self.store = store
    observe()
  }

  deinit { task?.cancel() }

  private func observe() {
    task?.cancel()
    error = nil
    task = Task { [weak self, store, query] in
      do {
        for try await records in store.values(query) {
          guard let self, !Task.isCancelled else { return }
          self.records = records
          if !isLoaded { isLoaded = true }
        }
      } catch {
        if !Task.isCancelled { self?.error = error }
      }
    }
  }
}

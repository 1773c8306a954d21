public import Observation

/// One setting for view models and screens: reading it is tracked, writing it is kept.
///
/// ```swift
/// @State private var theme = ObservedPreference(.theme, in: store)
/// // in the view: Picker(selection: $theme.value) { … }.task { await theme.run() }
/// ```
@MainActor @Observable
public final class ObservedPreference<Value: ColumnValue & Equatable> {
  /// The value; setting it shows at once and is written soon after.
  public var value: Value {
    get { shown }
    set {
      shown = newValue
      write(newValue)
    }
  }
  /// What went wrong with the last write, in one line for people; nil after the next success.
  ///
  /// The value is what the store holds then.
  public private(set) var problem: String?

  private var shown: Value
  @ObservationIgnored private let key: PreferenceKey<Value>
  @ObservationIgnored private let store: Store
  @ObservationIgnored private var writing: Task<Void, Never>?

  /// Begins with what is set now.
  public init(_ key: PreferenceKey<Value>, in store: Store) {
    self.key = key
    self.store = store
    shown = store.preferences[key]
  }

  /// Keeps the value in step with the store until the task is cancelled or the store closed.
  public func run() async {
    do {
      for try await value in store.preferences.values(of: key) where value != shown {
        // What is being written here comes back by itself.
        if writing == nil { shown = value }
      }
    } catch {
      problem = "\(error)"
    }
  }

  /// Waits until what was set is written.
  public func written() async {
    await writing?.value
  }

  private func write(_ value: Value) {
    let before = writing
    writing = Task { [weak self, store, key] in
      await before?.value
      let failure: String?
      do {
        try await store.preferences.set(key, to: value)
        failure = nil
      } catch {
        failure = "\(error)"
      }
      self?.end(of: value, failure)
    }
  }

  private func end(of value: Value, _ failure: String?) {
    problem = failure
    // Only the last of several ends the writing.
    guard shown == value else { return }
    writing = nil
    if failure != nil { shown = store.preferences[key] }
  }
}

import CommuteCore
import Dispatch
import Synchronization
import Testing

@testable import CommuteStore

extension PreferenceKey where Value == String {
  fileprivate static let theme = PreferenceKey("theme", default: "light")
}

/// A setting is written while the thread that follows other processes still sees the state before.
@Suite struct PreferenceReadingTests {
  /// An observed read that stops in the state it was told to stop in.
  private final class Stop: Sendable {
    private let isArmed = Atomic(false)
    private let reached: @Sendable () -> Void
    private let goesOn = DispatchSemaphore(value: 0)

    init(reached: @escaping @Sendable () -> Void) { self.reached = reached }

    func arm() { isArmed.store(true, ordering: .releasing) }

    func goOn() { goesOn.signal() }

    var observer: Observers.Observer {
      Observers.Observer { [self] _, _ in
        if isArmed.exchange(false, ordering: .acquiringAndReleasing) {
          reached()
          goesOn.wait()
        }
        return .looked(at: Region())
      } end: { _ in
      }
    }
  }

  @Test func `what was set stays so while an older state is still read`() async throws {
    let folder = try TemporaryStore()
    let store = try folder.open()
    let (stops, stopped) = AsyncStream<Void>.makeStream()
    let (themes, seen) = AsyncStream<String>.makeStream()
    let stop = Stop { stopped.yield() }
    // They are asked in the order of their adding: it stops, settings are followed, memory is seen.
    // Looking at nothing, the first and the last are asked once, and again with everybody.
    _ = store.observers.add(stop.observer)
    #expect(store.preferences[.theme] == "light")
    let preferences = store.preferences
    _ = store.observers.add(
      Observers.Observer { _, _ in
        seen.yield(preferences[.theme])
        return .looked(at: Region())
      } end: { _ in
      })
    var shown = themes.makeAsyncIterator()
    #expect(await shown.next() == "light")
    stop.arm()
    store.observers.noteEverything()
    var stopping = stops.makeAsyncIterator()
    await stopping.next()
    try await store.preferences.set(.theme, to: "dark")
    stop.goOn()
    #expect(await shown.next() == "dark")
    await store.close()
    #expect(preferences[.theme] == "dark")
  }

  @Test func `what is read in a state that was overtaken is not taken over`() {
    let memory = PreferenceMemory()
    var old = PreferenceMemory.Values()
    old.device[Key("theme")] = .text("light")
    var new = old
    new.device[Key("theme")] = .text("dark")
    memory.beginReading()
    memory.replace(with: new)
    #expect(!memory.take(read: old))
    #expect(memory.value("theme", .device) == .text("dark"))
    memory.beginReading()
    #expect(memory.take(read: old))
    #expect(memory.value("theme", .device) == .text("light"))
  }
}

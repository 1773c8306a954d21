import Synchronization

/// Notes about devices that wait to be written: the latest of each device.
final class DeviceNotes: Sendable {
  private let waiting = Mutex<[DeviceNote.Place: DeviceNote]>([:])

  /// Adds a note.
  ///
  /// - Returns: Whether none was there before, so that the writer has to be told.
  func add(_ note: DeviceNote) -> Bool {
    waiting.withLock { notes in
      defer { notes[note.place] = note }
      return notes.isEmpty
    }
  }

  /// Whether none wait.
  var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

  /// Takes all of them.
  func take() -> [DeviceNote] {
    waiting.withLock { notes in
      defer { notes = [:] }
      return Array(notes.values)
    }
  }
}

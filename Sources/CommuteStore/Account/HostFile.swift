import CommuteCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The record that is kept outside a database, so that a restored or copied one is noticed.
///
/// One small file a database path: `replica number`, hexadecimal and decimal.
struct HostFile: Sendable {
  let path: String

  /// - Parameters:
  ///   - directory: Where such records are kept.
  ///   - database: The database's path, whose hash names the file.
  init(directory: String, database: String) {
    let name = SHA256.hash(Array(PrivateFolder.resolved(database).utf8)).text
    path = "\(directory)/\(name)"
  }

  /// `$XDG_STATE_HOME/commute/hosts`, or the same under `~/.local/state`.
  static var defaultDirectory: String? {
    if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") {
      return "\(state)/commute/hosts"
    }
    return variable("HOME").map { "\($0)/.local/state/commute/hosts" }
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Whether there is a record, readable or not.
  var exists: Bool { PrivateFolder.size(of: path) != nil }

  /// Reads the record; nil where there is none, or none that can be understood.
  func read() -> HostRecord? {
    guard let bytes = try? PrivateFolder.read(path) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard words.count == 2, let replica = ReplicaID(text: String(words[0])),
      let number = UInt64(words[1])
    else { return nil }
    return HostRecord(replica: replica, number: number)
  }

  /// Writes the record so that it survives power loss.
  ///
  /// - Throws: ``StoreError/hostRecord(path:reason:)``.
  func write(_ record: HostRecord) throws(StoreError) {
    do {
      try PrivateFolder.make(PrivateFolder.parent(of: path))
      let line = "\(record.replica.text) \(record.number)\n"
      try PrivateFolder.replace(path, with: Array(line.utf8))
    } catch .diskFull {
      throw .diskFull
    } catch {
      throw .hostRecord(path: path, reason: error.message)
    }
  }
}

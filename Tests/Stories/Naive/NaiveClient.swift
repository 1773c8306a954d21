/// The client that many apps begin with, to show what it loses.
///
/// It is not made to fail: it stores at once, works offline, queues and sends again. But its rows
/// are numbered by a counter of the device, deleting removes the row, the later wall clock decides
/// about whole rows, and it sends what was done (“add a row”, “set a row”) instead of what is, each
/// attempt under a new id. It speaks to the same server through the same relay as ours: the whole
/// row is one field, stamped with the device's wall clock. Who signs in is a token to it: the file
/// is the device's.
actor NaiveClient: StoryClient {
  nonisolated let onDevice: SQLReading
  private let file: NaiveFile
  private let wire: NaiveWire
  private let clock: DeviceClock

  init(_ setting: DeviceSetting) throws {
    file = try NaiveFile(folder: setting.folder)
    wire = NaiveWire(setting)
    clock = setting.clock
    onDevice = SQLReading(
      file: file.path, sql: "SELECT title, read, note FROM book ORDER BY title, note, read")
  }

  func perform(_ edit: Edit) throws {
    switch edit {
    case .add(let title), .take(let title): try file.add(title, at: clock.wall)
    case .tick(let title): try file.tick(title, at: clock.wall)
    case .note(let title, let text): try file.note(title, text, at: clock.wall)
    case .delete(let title): try file.delete(title, at: clock.wall)
    }
  }

  func sync() async throws -> Bool {
    guard let there = try await exchange() else { return false }
    // What the server does not have must have got lost: it is sent once more.
    guard try file.addAgain(missingIn: there, at: clock.wall) else { return true }
    return try await exchange() != nil
  }

  /// Sends what was done and takes the rows that the server has.
  ///
  /// - Returns: The numbers of the rows that the server has now, those just sent included; nil
  ///   without an answer.
  private func exchange() async throws -> Set<Int64>? {
    let operations = try file.beginSending()
    guard let rows = try await wire.exchange(operations, wall: clock.wall) else { return nil }
    try file.endSending(operations)
    for row in rows { try file.take(row) }
    return Set(rows.map(\.number) + operations.map(\.row))
  }

  /// It takes what the server made of its work, and keeps nothing of what that did away with.
  func letGo() -> [String] { [] }

  func leftovers() throws -> [String] {
    let count = try file.waiting()
    return count == 0 ? [] : ["\(count) of its changes still wait"]
  }

  func close() {
    file.close()
  }

  static func onServer(tenant: String) -> String {
    """
    SELECT json_extract(row, '$.title') AS title, json_extract(row, '$.read') AS read,
      json_extract(row, '$.note') AS note
    FROM (SELECT json_extract(state, '$.fields.row') AS row FROM record
      WHERE tenant = '\(tenant)' AND tbl = 'naive')
    WHERE row IS NOT NULL ORDER BY title, note, read
    """
  }
}

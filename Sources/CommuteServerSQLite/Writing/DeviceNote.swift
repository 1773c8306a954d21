import CommuteCore
import CommuteSQLite

/// What a request tells about the device that sent it, beside its operations.
///
/// Losing one costs nothing: purging then waits a little longer for that device.
struct DeviceNote: Sendable {
  /// Which replica of which tenant.
  struct Place: Hashable, Sendable {
    var tenant: String
    var replica: ReplicaID
  }

  /// Which replica of which tenant.
  var place: Place
  /// Whose device it is.
  var user: String
  /// The name people know it by.
  var name: String
  /// Earlier writing identities of the same file.
  var earlier: [ReplicaID]
  /// The epoch that its cursors are of; nil for the present one.
  var epoch: Epoch?
  /// How far it has read each feed; nothing where it reads it from the start, or anew.
  var cursors: [(feed: Key, cursor: UInt64?)]
  /// When it was seen, in milliseconds.
  var time: Int64

  /// Takes what a request tells.
  init(_ request: SyncRequest, tenant: String, user: String, time: Int64) {
    place = Place(tenant: tenant, replica: request.replica)
    self.user = user
    name = request.device
    earlier = request.replicas
    epoch = request.epoch
    cursors = request.feeds.map { ($0.feed, $0.reset == nil ? $0.cursor : nil) }
    self.time = time
  }
}

extension Connection {
  /// Writes a note; cursors of another epoch than the present one say nothing about it.
  func save(_ note: DeviceNote, epoch: Epoch) throws(SQLiteError) {
    guard try saveSeen(note.place.replica, of: note) else { return }
    for replica in note.earlier where replica != note.place.replica {
      // The file reads under its present identity: nobody has to wait for an earlier one.
      if try saveSeen(replica, of: note) { try forgetCursors(of: replica, in: note) }
    }
    let isPresent = note.epoch == nil || note.epoch == epoch
    for cursor in note.cursors {
      try saveCursor(cursor.feed, isPresent ? cursor.cursor : nil, of: note)
    }
  }

  private func forgetCursors(
    of replica: ReplicaID, in note: DeviceNote
  ) throws(SQLiteError) {
    let delete = try statement(
      "DELETE FROM device_cursor WHERE tenant = ?1 AND replica = ?2")
    delete.bind(note.place.tenant, at: 1)
    delete.bind(replica.rawValue, at: 2)
    try delete.run()
  }

  /// Writes name and time of a replica.
  ///
  /// - Returns: Whether it belongs to this user; another one's is left alone.
  private func saveSeen(_ replica: ReplicaID, of note: DeviceNote) throws(SQLiteError) -> Bool {
    let save = try statement(
      """
      INSERT INTO device(tenant, replica, owner, name, seen_at) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (tenant, replica) DO UPDATE SET
        name = excluded.name, seen_at = max(seen_at, excluded.seen_at)
        WHERE owner = excluded.owner
      """)
    save.bind(note.place.tenant, at: 1)
    save.bind(replica.rawValue, at: 2)
    save.bind(note.user, at: 3)
    save.bind(note.name, at: 4)
    save.bind(note.time, at: 5)
    try save.run()
    return changes > 0
  }

  private func saveCursor(
    _ feed: Key, _ cursor: UInt64?, of note: DeviceNote
  ) throws(SQLiteError) {
    let save = try statement(
      """
      INSERT INTO device_cursor(tenant, replica, feed, cursor, at) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (tenant, replica, feed) DO UPDATE SET
        cursor = excluded.cursor, at = excluded.at
      """)
    save.bind(note.place.tenant, at: 1)
    save.bind(note.place.replica.rawValue, at: 2)
    save.bind(feed, at: 3)
    if let cursor { save.bind(cursor, at: 4) }
    save.bind(note.time, at: 5)
    try save.run()
  }
}

import CommuteCore
import CommuteServer
import CommuteSQLite

/// The stretch of history that begins when a backup is put back.
struct NewHistory {
  /// Its name.
  var epoch: Epoch
  /// The server's writing identity in it: a stamp of the old one may be in use beyond the backup.
  var replica: ReplicaID
  /// When it begins, in milliseconds.
  var time: Int64

  /// Begins it in the copy of a backup, in one transaction.
  func begin(
    on copy: Connection, after earlier: EarlierHistory?, age: Int64
  ) throws(ServerDatabaseError) -> RestoreReport {
    try ServerDatabase.wrap { () throws(SQLiteError) in
      try copy.transaction(.immediate) { () throws(SQLiteError) in
        guard var meta = try copy.loadMeta() else {
          throw .corrupt(reason: "it does not say which server it is of")
        }
        try endEpoch(meta.epoch, on: copy, after: earlier)
        if let earlier { try keep(earlier.grants, on: copy) }
        try forgetProgress(on: copy)
        (meta.epoch, meta.replica) = (epoch, replica)
        try copy.saveHistory(meta)
        let records = try copy.prepare("SELECT count(*) - count(deleted) FROM record")
        return RestoreReport(
          identity: meta.identity, age: age, records: try records.firstInt64() ?? 0)
      }
    }
  }

  /// Notes up to where the epochs before the new one are held.
  ///
  /// The history that is replaced may itself have begun with an earlier restore of the backup's
  /// epoch: then the two share that epoch up to where the replaced one left it, or the backup ends.
  private func endEpoch(
    _ old: Epoch, on copy: Connection, after earlier: EarlierHistory?
  ) throws(SQLiteError) {
    let last = try copy.prepare("SELECT ifnull(max(position), 0) FROM epoch_head")
    let position = try last.firstInt64() ?? 0
    let ended = try copy.prepare("SELECT ifnull(max(ended), 0) FROM epoch_head")
    let end = max(time, try ended.firstInt64() ?? 0)
    var next = position + 1
    for epoch in shared(old, with: earlier) {
      let heads = earlier?.heads.filter { $0.epoch == old } ?? []
      try insertShared(epoch, heads: heads, position: next, ended: end, on: copy)
      next += 1
    }
    let insert = try copy.prepare(
      """
      INSERT INTO epoch_head(tenant, epoch, feed, head, ended, position)
      SELECT tenant, ?1, feed, revision, ?2, ?3 FROM feed WHERE true
      ON CONFLICT (tenant, epoch, feed) DO UPDATE SET
        head = excluded.head, ended = excluded.ended, position = excluded.position
      """)
    insert.bind(old.rawValue, at: 1)
    insert.bind(end, at: 2)
    insert.bind(next, at: 3)
    try insert.run()
  }

  /// The epochs that came after the backup's in the history that is replaced, in their order.
  private func shared(_ old: Epoch, with earlier: EarlierHistory?) -> [Epoch] {
    guard let earlier, let began = earlier.heads.first(where: { $0.epoch == old }) else {
      return []
    }
    var epochs: [Epoch] = []
    for head in earlier.heads
    where head.position > began.position && !epochs.contains(head.epoch) && head.epoch != old {
      epochs.append(head.epoch)
    }
    if earlier.meta.epoch != old, !epochs.contains(earlier.meta.epoch) {
      epochs.append(earlier.meta.epoch)
    }
    return epochs
  }

  private func insertShared(
    _ epoch: Epoch, heads: [EarlierHistory.Head], position: Int64, ended: Int64,
    on copy: Connection
  ) throws(SQLiteError) {
    let insert = try copy.statement(
      """
      INSERT INTO epoch_head(tenant, epoch, feed, head, ended, position)
      SELECT tenant, ?1, feed, 0, ?2, ?3 FROM feed WHERE true ON CONFLICT DO NOTHING
      """)
    insert.bind(epoch.rawValue, at: 1)
    insert.bind(ended, at: 2)
    insert.bind(position, at: 3)
    try insert.run()
    let update = try copy.statement(
      """
      UPDATE epoch_head SET head = min(?1, (
        SELECT revision FROM feed WHERE tenant = ?2 AND feed = ?3))
      WHERE tenant = ?2 AND feed = ?3 AND epoch = ?4
      """)
    for head in heads {
      update.bind(head.head, at: 1)
      update.bind(head.tenant, at: 2)
      update.bind(head.feed, at: 3)
      update.bind(epoch.rawValue, at: 4)
      try update.run()
    }
  }

  /// Rights only go on: what was taken away since the backup stays away.
  private func keep(
    _ grants: [EarlierHistory.Grant], on copy: Connection
  ) throws(SQLiteError) {
    let save = try copy.statement(
      """
      INSERT INTO "grant"(tenant, owner, feed, number, access, reason)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (tenant, owner, feed) DO UPDATE SET
        number = excluded.number, access = excluded.access, reason = excluded.reason
      WHERE excluded.number >= number
      """)
    for grant in grants {
      save.bind(grant.tenant, at: 1)
      save.bind(grant.owner, at: 2)
      save.bind(grant.feed, at: 3)
      save.bind(grant.number, at: 4)
      save.bind(grant.access, at: 5)
      if let reason = grant.reason { save.bind(reason, at: 6) } else { save.bindNull(at: 6) }
      try save.run()
    }
  }

  /// Nobody has read anything of the new history, and nobody was away for longer than it lasts.
  private func forgetProgress(on copy: Connection) throws(SQLiteError) {
    let cursors = try copy.prepare("UPDATE device_cursor SET cursor = NULL, at = max(at, ?1)")
    cursors.bind(time, at: 1)
    try cursors.run()
    let devices = try copy.prepare(
      "UPDATE device SET seen_at = max(seen_at, ?1) WHERE retired IS NULL")
    devices.bind(time, at: 1)
    try devices.run()
  }
}

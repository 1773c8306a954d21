import CommuteCore
import CommuteSQLite

/// A server that has heard of this replica's request number before: the file was copied, and writes
/// under another id from here on.
extension WriterCore {
  /// Counts anew what is pending in the records that the server told, and tells the person.
  func recount(
    _ told: [RecordMessage], under earlier: ReplicaID
  ) throws(StoreError) {
    for message in told {
      var loaded = try load(message.key)
      var context = context
      let moved = loaded.record.recount(
        told: message.state, from: earlier, operation: newOperation(), context: &context)
      try write(loaded, context)
      for recount in moved {
        let doubt = recount.conflict(of: message.key, on: state.device, time: context.wall)
        try put(doubt, in: loaded.record.feed)
      }
    }
  }

  /// Writes a conflict as a record of its own, as a local write.
  private func put(_ conflict: ConflictEntry, in feed: Key) throws(StoreError) {
    let key = RecordKey(table: ConflictEntry.table, id: conflict.id)
    var loaded = try loadUnknown(key, feed: feed)
    var context = context
    do throws(WriteRefusal) {
      try loaded.record.create(conflict.values, operation: newOperation(), context: &context)
    } catch {
      // It was told before.
      return
    }
    try write(loaded, context)
  }
}

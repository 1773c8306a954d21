/// A row as the naive design sends it, whole.
struct NaiveRow: Hashable, Sendable {
  /// Its number, by which all devices mean it.
  var number: Int64
  /// The wall clock of the device that changed it last, in milliseconds.
  var changed: Int64
  /// Its columns as JSON.
  var content: String
}

/// Something that was done and is to be sent.
struct NaiveOperation: Hashable, Sendable {
  /// Its place in the queue.
  var position: Int64
  /// Which row.
  var row: Int64
  /// The wall clock when it was done, in milliseconds.
  var changed: Int64
  /// The whole row; nil for one that was deleted.
  var content: String?
}

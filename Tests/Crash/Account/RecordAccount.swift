/// What the runner knows of one record, from what the devices have told.
struct RecordAccount {
  /// For each device, the last value of its own column that counts as written.
  var own = [SheetValue?](repeating: nil, count: SheetValue.slots)
  /// For each device, what it may have written last into the contested column.
  var contested = [Set<SheetValue>](repeating: [], count: SheetValue.slots)
  /// Devices whose deletion counts as written.
  var deleters: Set<Int> = []
  /// Devices that have deleted it or not: the file does not tell any more.
  var perhapsDeleters: Set<Int> = []
  /// The latest own value of each device that the server acknowledged, and its stamp.
  var acknowledged = [(value: SheetValue, stamp: Substring)?](
    repeating: nil, count: SheetValue.slots)
  /// Whether the server acknowledged a deletion.
  var isDeletionAcknowledged = false
}

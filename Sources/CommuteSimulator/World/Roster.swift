import CommuteCore

/// The records of a history by number: those of the stage, and behind them the conflicts that the
/// server wrote, where the history tells them.
struct Roster {
  private(set) var keys: [RecordKey]
  /// The feed of each record.
  private(set) var feeds: [Key]

  /// How many records a history has at most.
  static let limit = 60

  init(stage: Stage) {
    keys = stage.records
    feeds = stage.feedOfRecord.map { stage.feeds[$0] }
  }

  /// The number of a record that is known.
  func number(of key: RecordKey) -> Int {
    key.table == ConflictEntry.table
      ? keys.lastIndex(of: key) ?? Stage.recordCount : Stage.number(of: key)
  }

  /// Whether a record has a number.
  func knows(_ key: RecordKey) -> Bool {
    key.table != ConflictEntry.table || keys.contains(key)
  }

  /// Gives a conflict the next number, if there is one left.
  mutating func add(_ key: RecordKey, of feed: Key) {
    guard keys.count < Self.limit, !knows(key) else { return }
    keys.append(key)
    feeds.append(feed)
  }

  /// What a device holds of a record that it has never heard of.
  func blank(_ number: Int) -> DeviceRecord {
    DeviceRecord(key: keys[number], feed: feeds[number])
  }
}

import CommuteCore

/// The limits that hold where records and feeds enter the file.
extension WriterCore {
  /// Refuses what a person wrote where the record would be larger than one may be.
  ///
  /// What merging made larger still takes writes that do not make it grow.
  func checkSize(of loaded: LoadedRecord) throws(StoreError) {
    let limit = Limits.recordBytes
    guard loaded.record.mayTakeMore(than: limit), let view = loaded.record.view,
      view.deleted == nil
    else { return }
    let bytes = view.wireBytes(of: loaded.record.key)
    guard bytes > limit else { return }
    // A stamp more is no reason: only content counts where the record was too large before.
    if let before = loaded.before.view, before.wireBytes(of: loaded.record.key) > limit,
      view.approximateSize <= before.approximateSize
    {
      return
    }
    throw .recordTooLarge(loaded.record.key, bytes: bytes, limit: limit)
  }

  /// Takes note that records of a feed are written or read here.
  ///
  /// - Throws: ``StoreError/tooManyFeeds(feed:limit:)`` where the device has as many as it may,
  ///   ``StoreError/query(reason:)`` for a name that no feed can have.
  func enter(feed: Key) throws(StoreError) {
    guard state.device.feeds[feed] == nil else { return }
    let name = feed.text.utf8
    guard !name.isEmpty, name.count <= Limits.feedNameBytes, !name.contains(0) else {
      throw .query(
        reason: "a feed's name takes 1 to \(Limits.feedNameBytes) bytes without NUL; shorten it")
    }
    guard state.device.feeds.count < Limits.feeds else {
      throw .tooManyFeeds(feed: feed.text, limit: Limits.feeds)
    }
    state.device.feeds[feed] = FeedState()
  }
}

extension DeviceRecord {
  /// Whether the view can take more than so many bytes on the wire; false is certain, true is not.
  func mayTakeMore(than limit: Int) -> Bool {
    var size = (base?.boundedSize ?? 0) + (offer?.state.boundedSize ?? 0)
    for row in rows { size += row.operation.approximateSize }
    // Escaping makes a byte six at most, and a stamp takes no more than the field beside it.
    return size > limit / 8
  }
}

extension RecordState {
  /// About how many bytes it takes on the wire, members that this build does not know included.
  fileprivate var boundedSize: Int {
    var size = approximateSize
    for entry in unknown.entries { size += entry.name.text.utf8.count + entry.value.count }
    return size
  }

  /// Exactly how many bytes it takes on the wire.
  func wireBytes(of key: RecordKey) -> Int {
    RecordMessage(key: key, state: self).encodedJSON().count
  }
}

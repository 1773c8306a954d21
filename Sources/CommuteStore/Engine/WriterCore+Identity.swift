import CommuteCore

/// As who a file writes: decided at open, or before the first write where opening could not write.
extension WriterCore {
  /// Decides whether the file goes on with the identity it has, and takes a new one where not.
  ///
  /// - Throws: ``StoreError/busy(holder:)``, ``StoreError/diskFull`` and the like; then nothing may
  ///   be written until it was called again with success.
  func settleIdentity(waits: Bool) throws(StoreError) {
    isIdentityOpen = false
    do throws(StoreError) {
      try decideIdentity(waits: waits)
    } catch {
      isIdentityOpen = true
      throw error
    }
  }

  private func decideIdentity(waits: Bool) throws(StoreError) {
    try begin(.normal, waits: waits)
    let isRenewalDue = renewalReason != nil
    takeDeclarations()
    guard !isRenewalDue else {
      rollback()
      return try renew(waits: waits)
    }
    if isDeclarationNew { try commit(writes: 0) } else { rollback() }
  }

  /// Whether neither the identity nor what the app declares makes a write necessary.
  var isIdentitySettled: Bool {
    if renewalReason != nil { return false }
    takeDeclarations()
    defer { state = saved }
    return !isDeclarationNew
  }

  private var renewalReason: RenewalReason? {
    #if PLANTED
      var host = folder.host?.read()
      var bootChanged = saved.meta.boot != bootID
      if PlantedStore.isActive(.hostIgnored), host != nil {
        host = HostRecord(replica: saved.device.replica, number: 0)
      }
      if PlantedStore.isActive(.bootIgnored) { bootChanged = false }
    #else
      let host = folder.host?.read()
      let bootChanged = saved.meta.boot != bootID
    #endif
    return saved.device.renewalReason(
      host: host, bootChanged: bootChanged, cleanEnd: saved.meta.cleanEnd)
  }

  private var isDeclarationNew: Bool {
    state.meta.device != saved.meta.device || state.device.feeds != saved.device.feeds
  }

  /// Takes over what the app says of the device, and subscribes to the feeds of its tables.
  ///
  /// A feed that is too many is left out: the file still opens, and a write to that feed says why
  /// it cannot be. One that was taken away stays so until somebody asks for it.
  private func takeDeclarations() {
    for shape in shapes.synced {
      if let feed = shape.feed, state.revoked[feed] == nil { try? enter(feed: feed) }
    }
    if options.syncsPreferences { try? enter(feed: PreferenceRecord.feed) }
    if let name = options.deviceName { state.meta.device = name }
  }

  /// Takes a new replica id, durably, and then writes the record outside.
  private func renew(waits: Bool) throws(StoreError) {
    try begin(.full, waits: waits)
    state.device.renewReplica(to: ReplicaID.random(using: &random))
    takeDeclarations()
    try commit(writes: 1)
    // Where nothing can be kept outside, the next open takes a new id once more.
    try? writeHostRecord()
  }

  /// Writes the record outside the database.
  private func writeHostRecord() throws(StoreError) {
    try folder.host?.write(hostRecord)
    options.onPoint?(.hostRecordWritten)
  }
}

/// What becomes of a record that a device held when it was away for too long, or shut out.
extension DeviceRecord {
  /// Decides about a record that a reset did not tell: the server no longer has it.
  ///
  /// Base goes. A creation that was certainly never sent is still to be sent, with what stands
  /// behind it; an offer outstanding decides by itself. Everything else that was pending goes to
  /// the inbox: changes of a record that is gone, and a creation that may have been made, and
  /// deleted and purged since.
  ///
  /// - Parameter replica: The file's present replica id.
  /// - Returns: What goes to the inbox, in the order it stood.
  public mutating func sweep(by replica: ReplicaID) -> [Rejection] {
    base = nil
    #if PLANTED
      if Planted.isActive(.sweepForgetsPending) {
        if offer == nil { rows.removeAll() }
        return []
      }
    #endif
    if offer != nil { return [] }
    guard let first = rows.first else { return [] }
    if first.operation.creates, !isPerhapsSent(first, by: replica) { return [] }
    return handOver(
      code: .gone, message: "the record was deleted while this device was away")
  }

  /// Ends the subscription for a record: base goes, everything pending goes to the inbox.
  ///
  /// - Parameter reason: The server's words.
  /// - Returns: What goes to the inbox, in the order it stood.
  public mutating func revoke(reason: String) -> [Rejection] {
    base = nil
    let message = "the feed \(feed.text) is no longer granted: \(reason)"
    #if PLANTED
      if Planted.isActive(.revokeLosesRows) {
        rows.removeAll()
        offer = nil
        return []
      }
    #endif
    var rejections: [Rejection] = []
    if let offer {
      rejections.append(
        rejection(of: offer, code: .forbidden, message: message, told: nil))
    }
    offer = nil
    return rejections + giveUp(code: .forbidden, message: message)
  }

  /// Hands everything that is pending of the record to a person.
  ///
  /// - Returns: What goes to the inbox, in the order it stood.
  public mutating func giveUp(code: RejectionCode, message: String) -> [Rejection] {
    // What was under way may still arrive.
    for index in rows.indices where rows[index].isInFlight && rows[index].unanswered == 0 {
      rows[index].unanswered = 1
    }
    return handOver(code: code, message: message)
  }

  private func isPerhapsSent(_ row: OutboxRow, by replica: ReplicaID) -> Bool {
    #if PLANTED
      if Planted.isActive(.sweepTakesAll) { return true }
      if Planted.isActive(.sentCreationKept) { return false }
    #endif
    return row.isPerhapsSent(by: replica)
  }

  private mutating func handOver(code: RejectionCode, message: String) -> [Rejection] {
    let rejections = rows.map { Rejection(row: $0, code: code, message: message) }
    rows.removeAll()
    return rejections
  }
}

/// What is kept outside a database file to notice that the file was restored or copied.
///
/// It lies where no backup of the file brings it back, and is written after the commit that marks
/// operations in flight, before they are sent.
public struct HostRecord: Hashable, Sendable {
  /// The replica id the file had.
  public var replica: ReplicaID
  /// The highest request number marked.
  public var number: UInt64

  /// Makes a record.
  public init(replica: ReplicaID, number: UInt64) {
    self.replica = replica
    self.number = number
  }
}

/// Why a file that is opened takes a new replica id before its first write.
public enum RenewalReason: UInt8, Hashable, Sendable, CaseIterable {
  /// Nothing is kept outside the file, so nobody knows whether it is a copy.
  case noHostRecord
  /// The record outside names another replica: the file was copied here or restored.
  case otherReplica
  /// More was sent than the file knows: the file is older than what left it.
  case numberAhead
  /// The machine went down without a clean end, so the last commits may be gone.
  case uncleanBoot

  /// What happened, for people.
  public var message: String {
    switch self {
    case .noHostRecord: "nothing outside the file tells whether it is a copy"
    case .otherReplica: "the file was copied or restored here"
    case .numberAhead: "the file is older than what was sent from it"
    case .uncleanBoot: "the machine went down while the file was open"
    }
  }
}

extension Device {
  /// Decides at open whether the file may go on under its replica id.
  ///
  /// - Parameters:
  ///   - host: The record outside the file; nil where there is none.
  ///   - bootChanged: Whether the machine was started anew since the file was last opened.
  ///   - cleanEnd: Whether the last owner of the file closed it.
  /// - Returns: Why it must take a new one; nil where it may go on.
  public func renewalReason(
    host: HostRecord?, bootChanged: Bool, cleanEnd: Bool
  ) -> RenewalReason? {
    #if PLANTED
      if Planted.isActive(.replicaNotRenewed) { return nil }
    #endif
    guard let host else { return .noHostRecord }
    if host.replica != replica { return .otherReplica }
    if host.number > number { return .numberAhead }
    return bootChanged && !cleanEnd ? .uncleanBoot : nil
  }
}

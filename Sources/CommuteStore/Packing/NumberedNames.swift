import CommuteCore
import CommuteSQLite

/// Short numbers for the replicas and epochs that packed columns name again and again.
///
/// Number 0 is the floor's replica. Numbers are given for good; those given by a transaction that
/// is rolled back are taken back.
struct NumberedNames {
  /// So many numbers are looked through one by one.
  private static let few = 8

  private(set) var replicas: [ReplicaID] = [ReplicaID(rawValue: 0)]
  private(set) var epochs: [Epoch] = []
  private var numbers: [ReplicaID: Int] = [ReplicaID(rawValue: 0): 0]
  /// How many replicas the database knows.
  private(set) var savedReplicas = 1
  /// How many epochs the database knows.
  private(set) var savedEpochs = 0

  /// The number of a replica, a new one if need be.
  mutating func number(of replica: ReplicaID) -> Int {
    // Nearly all stamps are of a few devices: looking through them is faster than hashing.
    if let number = replicas.suffix(Self.few).lastIndex(of: replica) { return number }
    if replicas.count > Self.few, let number = numbers[replica] { return number }
    replicas.append(replica)
    numbers[replica] = replicas.count - 1
    return replicas.count - 1
  }

  /// The number of an epoch, a new one if need be; there are only ever a few.
  mutating func number(of epoch: Epoch) -> Int {
    if let index = epochs.lastIndex(of: epoch) { return index }
    epochs.append(epoch)
    return epochs.count - 1
  }

  /// The replica of a number.
  func replica(_ number: Int) throws(StoreError) -> ReplicaID {
    guard replicas.indices.contains(number) else { throw Unpacker.damage }
    return replicas[number]
  }

  /// The epoch of a number.
  func epoch(_ number: Int) throws(StoreError) -> Epoch {
    guard epochs.indices.contains(number) else { throw Unpacker.damage }
    return epochs[number]
  }

  /// Reads what the database knows.
  mutating func load(from connection: Connection) throws(StoreError) {
    let replicas = try connection.all("SELECT replica FROM c_replica ORDER BY number") {
      (row) throws(StoreError) in
      guard let replica = ReplicaID(text: row.text(0)) else { throw Unpacker.damage }
      return replica
    }
    let epochs = try connection.first("SELECT epochs FROM c_meta") {
      (row) throws(StoreError) in try Self.epochs(row.bytes(0))
    }
    load(replicas: replicas, epochs: epochs ?? [])
  }

  private static func epochs(_ bytes: [UInt8]) throws(StoreError) -> [Epoch] {
    try bytes.lending { (bytes) throws(StoreError) in
      var reader = Unpacker(bytes)
      var epochs: [Epoch] = []
      while !reader.isAtEnd { epochs.append(Epoch(rawValue: try reader.fixed())) }
      return epochs
    }
  }

  /// Takes note of what the database knows, in the order of the numbers.
  private mutating func load(replicas: [ReplicaID], epochs: [Epoch]) {
    self.replicas = [ReplicaID(rawValue: 0)] + replicas
    self.epochs = epochs
    numbers = [:]
    for (number, replica) in self.replicas.enumerated() { numbers[replica] = number }
    markSaved()
  }

  /// Takes note that the database knows all numbers now.
  mutating func markSaved() {
    savedReplicas = replicas.count
    savedEpochs = epochs.count
  }

  /// Takes back the numbers that the database does not know.
  mutating func forgetUnsaved() {
    for replica in replicas[savedReplicas...] { numbers[replica] = nil }
    replicas.removeSubrange(savedReplicas...)
    epochs.removeSubrange(savedEpochs...)
  }
}

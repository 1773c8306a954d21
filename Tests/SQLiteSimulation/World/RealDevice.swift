import CommuteCore
import CommuteSQLite
import CommuteStore
import Foundation
import Synchronization

/// What a device's file held at some moment, read with SQL and a connection of its own.
struct Shot: Equatable {
  /// The records, the line, the inbox and the cursors.
  var text: String
  /// How many transactions of edits were written before.
  var commit: Int
}

/// The time of one device: what the world sets and the store reads, on whatever thread.
final class DeviceTime: Sendable {
  private let now = Mutex((wall: Int64(0), monotonic: Int64(0)))
  private let start = Mutex(1)

  func set(wall: Int64, monotonic: Int64) { now.withLock { $0 = (wall, monotonic) } }

  /// The machine is started anew.
  func startAnew() { start.withLock { $0 += 1 } }

  var boot: String { start.withLock { "boot-\($0)" } }

  var clock: StoreClock {
    StoreClock(
      wall: { self.now.withLock { $0.wall } }, monotonic: { self.now.withLock { $0.monotonic } },
      bootID: { self.boot })
  }
}

/// A device with a real store on files that fail.
final class RealDevice {
  let number: Int
  let folder: String
  let time = DeviceTime()
  var store: Store?
  /// A connection that only looks.
  private var eye: Connection?
  /// What the eye saw last, and the number that tells it whether anybody has committed since.
  private var sight: (version: Int64, text: String)?
  /// What its files held when it ended, until they are opened again.
  private var last: (shot: Shot, identity: Identity?)?
  /// How far its wall clock is off.
  var skew: Int64 = 0
  /// What the process is called; answers to an earlier one do not arrive.
  var process = 0
  /// Whether it waits for an answer.
  var waits = false
  /// For how many more of its actions the disk is full.
  var fullFor = 0
  /// How many transactions of edits were written.
  var commits = 0
  /// What may be there after a loss of power: the first is durable.
  var shots: [Shot] = []
  /// The shot and the boot of the copy that was made.
  var copy: (shot: Shot, number: Int)?
  private var opens: UInt64 = 0
  private let seed: UInt64
  /// Where the record outside lies, once it was found.
  private var found: String?

  init(_ number: Int, below folder: String, seed: UInt64) {
    self.number = number
    self.folder = "\(folder)/\(number)"
    self.seed = seed &* 31 &+ UInt64(number) &* 1_000_003
  }

  var files: String { "\(folder)/device" }
  private var hosts: String { "\(folder)/hosts" }
  private var copies: String { "\(folder)/copy" }
  private var database: String { "\(files)/commute.db" }

  // MARK: - Life

  /// Opens the store.
  func open() throws(StoreError) {
    last = nil
    var options = StoreOptions(
      account: Account(tenant: "home", user: "ada"), deviceName: "device \(number)")
    opens += 1
    process += 1
    options.randomSeed = seed &+ opens &* 0x9E37_79B9
    options.hostDirectory = hosts
    options.readerCount = 1
    options.clock = time.clock
    store = try Store(files, tables: [Book.table, Memo.table], options: options)
  }

  /// The store ends as it does when an app quits.
  func close() async {
    blink()
    await store?.close()
    store = nil
    waits = false
  }

  /// The process is gone: nothing it still does reaches its files.
  func die(powerSeed: UInt64?) async throws {
    FaultLayer.die()
    await close()
    FaultLayer.disarm()
    if let powerSeed {
      guard FaultLayer.losePower(below: folder, seed: powerSeed) else {
        throw Breach(promise: .trap, text: "the files of device \(number) cannot be written")
      }
      time.startAnew()
    }
  }

  // MARK: - Copies

  /// Copies what lies on the disk, as a backup does.
  func makeCopy(_ shot: Shot) throws {
    let manager = FileManager.default
    try? manager.removeItem(atPath: copies)
    try manager.createDirectory(atPath: copies, withIntermediateDirectories: true)
    try manager.copyItem(atPath: files, toPath: "\(copies)/device")
    try manager.copyItem(atPath: hosts, toPath: "\(copies)/hosts")
    copy = (shot, commits)
  }

  /// Puts the copy in the place of the files; of a whole machine what lies outside goes back, too.
  func putBack(isWholeMachine: Bool) throws {
    let manager = FileManager.default
    try manager.removeItem(atPath: files)
    try manager.copyItem(atPath: "\(copies)/device", toPath: files)
    if isWholeMachine {
      try manager.removeItem(atPath: hosts)
      try manager.copyItem(atPath: "\(copies)/hosts", toPath: hosts)
    }
    FaultLayer.settle(below: folder)
  }

  // MARK: - Looking

  /// The connection that looks, opened now where it was not.
  private func look() throws(SQLiteError) -> Connection {
    if let eye { return eye }
    let opened = try Connection(.file(database), Configuration(.readOnly))
    eye = opened
    return opened
  }

  /// Looks on while the store is opened, with a connection that has read the files before.
  func lookOn() throws(SQLiteError) { _ = try look().dataVersion() }

  /// What the files of a device hold that is down: nobody changes them until it is opened.
  func lastSight() throws(SQLiteError) -> (shot: Shot, identity: Identity?) {
    if let last { return last }
    let sight = (shot: try shoot(), identity: try identity())
    last = sight
    return sight
  }

  /// The files are others now, or a process has had them.
  func forgetLastSight() { last = nil }

  /// Stops looking, so that the store is the last to close.
  func blink() {
    eye?.close()
    eye = nil
    sight = nil
  }

  /// What the file holds now.
  ///
  /// While the number stays SQLite would answer from the pages that it has read before.
  func shoot() throws(SQLiteError) -> Shot {
    let eye = try look()
    let version = try eye.dataVersion()
    if let sight, sight.version == version { return Shot(text: sight.text, commit: commits) }
    let text = try read(with: eye)
    sight = (version, text)
    return Shot(text: text, commit: commits)
  }

  private func read(with eye: Connection) throws(SQLiteError) -> String {
    var text = ""
    for query in Self.queries {
      try eye.statement(query).forEach { (row) throws(SQLiteError) in
        text += row.text(0)
        text += "\n"
      }
    }
    return text
  }

  private static let queries: [SQL] = [
    """
    SELECT 'book ' || hex(id) || quote(title) || quote(author) || quote(note) || quote(copies)
      || quote(tags) || quote(best) FROM book ORDER BY id
    """,
    """
    SELECT 'memo ' || hex(id) || quote(body) || quote(place) || quote(steps) || quote(mood)
    FROM memo ORDER BY id
    """,
    "SELECT 'gone ' || tbl || hex(id) FROM c_tombstone ORDER BY tbl, id",
    """
    SELECT 'row ' || position || hex(operation) || in_flight || hex(fields) FROM c_outbox
    ORDER BY position
    """,
    "SELECT 'offer ' || hex(operation) FROM c_offer ORDER BY position",
    "SELECT 'inbox ' || entry || hex(operation) FROM c_inbox ORDER BY entry",
    "SELECT 'feed ' || feed || quote(cursor) FROM c_feed ORDER BY feed",
  ]

  /// The records of a shot's text, without the rest.
  static func records(of text: String) -> [Substring] {
    text.split(separator: "\n").filter { line in
      line.hasPrefix("book ") || line.hasPrefix("memo ") || line.hasPrefix("gone ")
    }
  }

  /// What is wrong with the file; nothing where all is well.
  func damage() throws(SQLiteError) -> [String] { try look().integrityCheck() }

  /// As who the file writes, and what is known outside.
  struct Identity: Equatable {
    var replica: String
    var number: Int64
    var boot: String
    var hasCleanEnd: Bool
  }

  func identity() throws(SQLiteError) -> Identity? {
    let sql: SQL = """
      SELECT r.replica, m.number, m.boot, m.clean_end FROM c_meta AS m
      JOIN c_replica AS r ON r.number = m.replica
      """
    return try look().statement(sql).first { (row) throws(SQLiteError) in
      Identity(
        replica: row.text(0), number: row.int64(1), boot: row.text(2),
        hasCleanEnd: row.int64(3) != 0)
    }
  }

  /// The record outside the database; nil where there is none.
  var hostLine: String? {
    get {
      let bytes = hostFile.flatMap { FileManager.default.contents(atPath: $0) }
      return bytes.map { String(decoding: $0, as: UTF8.self) }
    }
    set {
      guard let hostFile, let newValue else { return }
      try? Data(newValue.utf8).write(to: URL(filePath: hostFile))
    }
  }

  /// Where the record is: a device has one, whose name never changes.
  private var hostFile: String? {
    if let found { return found }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: hosts)) ?? []
    found = names.first { !$0.hasSuffix(".new") }.map { "\(hosts)/\($0)" }
    return found
  }

  /// Whether the file may not go on as who it was, by what lies outside of it.
  func mustRenew(_ identity: Identity) -> Bool {
    let words = (hostLine ?? "").split { $0 == " " || $0 == "\n" }
    guard words.count == 2, let number = Int64(words[1]) else { return true }
    if words[0] != identity.replica || number > identity.number { return true }
    return identity.boot != time.boot && !identity.hasCleanEnd
  }
}

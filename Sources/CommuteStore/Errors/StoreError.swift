public import CommuteCore

/// Why a store did not do what it was asked, split by what the caller does next.
///
/// Whatever is thrown, the transaction it came from left nothing behind, and everything that was
/// written before is still there. ``undecided(reason:)`` alone says that nobody knows about the
/// former.
@nonexhaustive
public enum StoreError: Error, Hashable, Sendable {
  /// Another process holds the file for too long; the same call may succeed later.
  case busy(holder: String)
  /// The disk is full: nothing was written and nothing is lost; free some space.
  case diskFull
  /// The file or its folder may only be read; change its rights.
  case readOnly(path: String)
  /// The file cannot be opened or read; the reason is the system's.
  case unreadable(path: String, reason: String)
  /// The disk failed while the transaction was made permanent, and again while it was to be taken
  /// back: it is not shown now, and is there or not when the store is opened anew. Check the disk
  /// and write again: the next write that succeeds makes sure that this one is not there.
  case undecided(reason: String)
  /// The file contradicts itself; restore a backup or recover it.
  case corrupt(reason: String)
  /// The device was used here before and its file is gone or empty; put a backup in its place, or
  /// open it with ``StoreOptions/startsAnew``.
  case missing(path: String, loss: Loss)
  /// A newer app wrote the file; update this one.
  case newerSchema(found: String, known: String)
  /// A named step of the app threw; what ran before it stays, and the next opening tries it again.
  case migration(step: String, reason: String)
  /// The file belongs to another account; sign in as its owner.
  case wrongOwner(found: String, wanted: String)
  /// The store was closed; open it again.
  case closed
  /// The store is suspended; resume it, then call again.
  case suspended
  /// The store was opened for reading only; write through one that is not.
  case openedForReading
  /// The file is not yet as this app declares it, and was to be opened for reading only.
  case unprepared(path: String, reason: String)
  /// The change does not fit what the record is now.
  case refused(WriteRefusal)
  /// A value cannot be stored in, or read from, its column.
  case value(table: String, column: String, problem: ValueProblem)
  /// The record's creation was refused, too: decide about that one, the rest goes with it.
  case creationRefused(RecordKey)
  /// Another record has the values of a unique key; change them, or that record.
  case taken(table: String, columns: [String], by: RecordID)
  /// The table's ids come from a key: give all of it a value, leave the id zero, and insert another
  /// record instead of changing it.
  case derivedID(table: String, columns: [String])
  /// The record would be larger than one may be; keep large content elsewhere.
  case recordTooLarge(RecordKey, bytes: Int, limit: Int)
  /// The device reads as many feeds as it may; keep more topics in one feed.
  case tooManyFeeds(feed: String, limit: Int)
  /// A row that the app itself forbids, such as a second one with a unique key.
  case constraint(message: String)
  /// The app declares a table that cannot be used.
  case declaration(reason: String)
  /// The query or statement makes no sense, or touches what it must not.
  case query(reason: String)
  /// What lies outside the database could not be kept, so nothing may leave the device.
  case hostRecord(path: String, reason: String)
  /// Another process is in the middle of a round of sync.
  case syncedElsewhere(holder: String)
}

/// What is left of a database that was there before.
public enum Loss: Hashable, Sendable {
  /// Nothing.
  case removed
  /// An empty file.
  case emptied
  /// Its log, with changes that are in no other file.
  case onlyLogLeft
}

/// What is wrong with one value.
public enum ValueProblem: Hashable, Sendable {
  /// Text with a NUL in it.
  case containsNUL
  /// A number that is not finite.
  case notFinite
  /// More bytes than a field may hold.
  case tooLong(bytes: Int, limit: Int)
  /// A stored value that the property's type has no case or form for, such as a newer app's.
  case notUnderstood
  /// A value that JSON has no form for, such as a number that is not finite.
  case notEncodable
}

extension StoreError {
  /// What happened and what to do, in one line.
  public var message: String {
    switch self {
    case .busy(let holder):
      "the database is in use by \(holder); try again"
    case .diskFull:
      "the disk is full; nothing was written and nothing is lost; free some space and try again"
    case .readOnly(let path):
      "\(path) may only be read; make the file and its folder writable"
    case .unreadable(let path, let reason):
      "\(path) cannot be opened: \(reason)"
    case .undecided(let reason):
      "it is not known whether this was written, because the disk failed: \(reason); it is not"
        + " shown now, and what is written next takes its place; check the disk and write it again"
    case .corrupt(let reason):
      "the database is damaged: \(reason); restore a backup or recover it"
    case .missing(let path, let loss):
      "\(path) \(loss.message), though this device was used here before; \(loss.cure)"
    case .newerSchema(let found, let known):
      "a newer version wrote this database (\(found), this one knows \(known)); update the app"
    case .migration(let step, let reason):
      "the step \(step) was undone: \(reason); the records are as before it; correct the step and"
        + " open the store again"
    case .wrongOwner(let found, let wanted):
      "the database belongs to \(found), not to \(wanted); sign in as its owner"
    case .closed:
      "the store was closed; open it again"
    case .suspended:
      "the store is suspended; resume it and try again"
    case .openedForReading:
      "the store was opened for reading only; write through one opened without isReadOnly"
    case .unprepared(let path, let reason):
      "\(path) cannot be read by this app yet: \(reason); open it once for writing"
    case .refused(let refusal):
      refusal.message
    case .value(let table, let column, let problem):
      "\(table).\(column) \(problem.message)"
    case .creationRefused(let key):
      "the making of \(key.table.text) \(key.id.text) was refused, too; retry or edit that one, and"
        + " this goes with it"
    case .taken(let table, let columns, let id):
      "\(table) \(id.text) has the same \(columns.joined(separator: " and "));"
        + " change one of the two"
    case .derivedID(let table, let columns):
      "ids of \(table) come from \(columns.joined(separator: " and ")): give it a value, leave the"
        + " id zero, and insert another record instead of changing it"
    case .recordTooLarge(let key, let bytes, let limit):
      "\(key.table.text) \(key.id.text) would take \(bytes) bytes, a record takes at most \(limit);"
        + " shorten it or keep large content elsewhere"
    case .tooManyFeeds(let feed, let limit):
      "the feed \(feed) would be one more than the \(limit) that a device takes;"
        + " keep several topics in one feed"
    case .constraint(let message):
      message
    case .declaration(let reason):
      reason
    case .query(let reason):
      reason
    case .hostRecord(let path, let reason):
      "\(path) cannot be written: \(reason); nothing is sent until it can"
    case .syncedElsewhere(let holder):
      "\(holder) is syncing this database; wait for it to end"
    }
  }

  /// Whether the same call may succeed later without anybody doing anything.
  public var isRetryable: Bool {
    switch self {
    case .busy, .syncedElsewhere: true
    default: false
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension Loss {
  /// The rest of a sentence that begins with the path.
  public var message: String {
    switch self {
    case .removed: "is missing"
    case .emptied: "is empty, so it was damaged"
    case .onlyLogLeft: "is missing or empty, and its log beside it is not"
    }
  }

  /// What to do about it.
  public var cure: String {
    switch self {
    case .removed, .emptied: "put a backup in its place, or begin anew from the server"
    case .onlyLogLeft: "put a backup in its place, or move the log away to begin anew"
    }
  }
}

extension ValueProblem {
  /// The rest of a sentence that begins with table and column.
  public var message: String {
    switch self {
    case .containsNUL: "cannot hold text with a NUL; take it out"
    case .notFinite: "cannot hold a number that is not finite"
    case .tooLong(let bytes, let limit):
      "takes at most \(limit) bytes, not \(bytes); shorten it or keep it elsewhere"
    case .notUnderstood: "holds a value that this version does not understand; update the app"
    case .notEncodable: "cannot hold a value that JSON has no form for"
    }
  }
}

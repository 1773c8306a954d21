import CommuteCore
import CommuteSQLite

/// One named step of an app: what a new version does once to a file that an older one wrote.
///
/// New tables and columns need no step. Columns that are renamed, split or put together, and data
/// that moves from one table to another, do:
/// ```swift
/// let steps = [
///   StoreMigration("v2-split-name", replacing: ["person.name"]) { tx in
///     try tx.fill(Person.self) { person, earlier in
///       let words = earlier["name", as: String.self]?.split(separator: " ") ?? []
///       person.first = words.first.map(String.init) ?? ""
///       person.last = words.dropFirst().joined(separator: " ")
///     }
///   }
/// ]
/// let store = try Store(directory, tables: [Person.table], migrations: steps, options: options)
/// ```
/// The steps run in order when a store is opened, after tables and columns were made, each in a
/// durable transaction of its own that also notes its name in the file. A process that dies leaves
/// the steps that ended, and the next opening goes on from there. On a new file all of them run, on
/// no records. Once released, a step is never edited, and new ones go to the end.
public struct StoreMigration: Sendable {
  /// What the step is called for good, such as `v2-split-name`.
  public let name: String
  /// The tables and columns, as `table` or `table.column`, that are no longer declared and whose
  /// content the step takes care of.
  public let replacing: [String]
  let body: @Sendable (borrowing WriteTransaction) throws -> Void

  /// Declares a step.
  ///
  /// - Parameters:
  ///   - name: What it is called for good.
  ///   - replacing: The tables and columns whose content it takes care of.
  ///   - body: What it does, in one transaction.
  public init(
    _ name: String, replacing: [String] = [],
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) {
    self.name = name
    self.replacing = replacing
    self.body = body
  }
}

extension StoreMigration {
  /// Refuses two steps of one name: it could not be told which of them ran.
  static func refuseDoubleNames(_ steps: [StoreMigration]) throws(StoreError) {
    var seen: Set<Key> = []
    for step in steps where !seen.insert(Key(step.name)).inserted {
      throw .declaration(reason: "two steps are called \(step.name); rename the new one")
    }
  }

  /// The first step that has not run on a file; nil where all have.
  ///
  /// Steps that ran and are no longer declared are passed over: an app may drop those of versions
  /// that nobody has any more.
  ///
  /// - Throws: ``StoreError/declaration(reason:)`` for a step that stands before one that ran.
  static func first(
    of steps: [StoreMigration], notRunOn connection: Connection
  ) throws(StoreError) -> StoreMigration? {
    guard !steps.isEmpty else { return nil }
    let ran = Set(
      try connection.all("SELECT name FROM c_step") { (row) throws(StoreError) in
        Key(row.text(0))
      })
    guard let first = steps.firstIndex(where: { !ran.contains(Key($0.name)) }) else { return nil }
    if let later = steps[first...].first(where: { ran.contains(Key($0.name)) }) {
      throw .declaration(
        reason: "the step \(steps[first].name) stands before \(later.name), which ran on this file"
          + " already; put new steps at the end")
    }
    return steps[first]
  }
}

extension WriterCore {
  /// Runs the steps that have not run on the file, each in a transaction of its own.
  ///
  /// Two processes may do so at once: each step runs once.
  func run(_ steps: [StoreMigration]) throws(StoreError) {
    while let next = try StoreMigration.first(of: steps, notRunOn: connection) {
      try begin(.full, waits: true)
      do throws(StoreError) {
        // Another process may have been quicker.
        let step = try StoreMigration.first(of: steps, notRunOn: connection)
        if let step, step.name.hasSameBytes(as: next.name) { try run(step) }
      } catch {
        rollback()
        throw error
      }
      try commit(writes: 1)
    }
  }

  private func run(_ step: StoreMigration) throws(StoreError) {
    do {
      let transaction = WriteTransaction(self)
      try step.body(transaction)
    } catch StoreError.diskFull {
      throw .diskFull
    } catch {
      throw .migration(step: step.name, reason: "\(error)")
    }
    try speaking { () throws(SQLiteError) in
      try connection.run(
        "INSERT INTO c_step(name, ran_at) VALUES (\(step.name), \(options.clock.wall()))")
    }
  }
}

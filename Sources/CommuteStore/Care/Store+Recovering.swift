import CommuteCore
import CommuteSQLite

extension Store {
  /// Makes a working database of a damaged one.
  ///
  /// What waits for the server, and what it refused, is written down first, as JSON, beside the
  /// database. Then every row that can be read goes into a new file, which takes the place of the
  /// damaged one; that one is kept under another name. The new file has an identity of its own and
  /// reads everything anew from the server. Nobody may have the store open meanwhile.
  ///
  /// ```swift
  /// if try await !store.integrityProblems().isEmpty {
  ///   await store.close()
  ///   let report = try Store.recover(directory, tables: tables, options: options)
  /// }
  /// ```
  /// - Throws: ``StoreError/busy(holder:)`` where somebody has it open,
  ///   ``StoreError/corrupt(reason:)`` where not even the owner can be read; the damaged file is in
  ///   its place then, and what waited is written down if it could be read.
  /// - Returns: What was brought over, and what was not.
  public static func recover(
    _ directory: String, tables: [any TableDeclaration], migrations: [StoreMigration] = [],
    options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> RecoveryReport {
    let folder = try StoreFolder(directory, hostDirectory: options.hostDirectory)
    try folder.requireDatabase(startsAnew: false)
    guard folder.syncLock.tryLock() else {
      throw .syncedElsewhere(holder: folder.syncLock.holder ?? "another process")
    }
    defer { folder.syncLock.unlock() }
    try folder.writerLock.lock(waiting: options.busyMilliseconds)
    var recovery = Recovery(folder, options: options)
    let report: RecoveryReport
    do throws(StoreError) {
      report = try recovery.run()
      folder.writerLock.unlock()
    } catch {
      folder.writerLock.unlock()
      throw error
    }
    let opening = try StoreOpening(
      folder: folder, tables: tables.map(\.declared), migrations: migrations, options: options,
      observers: Observers())
    let core = try opening.open()
    defer { core.close(.closed) }
    try core.showPending()
    return report
  }
}

extension WriterCore {
  /// Makes the rows of records whose own row was lost and whose changes were not.
  fileprivate func showPending() throws(StoreError) {
    try begin(.full, waits: true)
    do throws(StoreError) {
      for key in Set(try rows(where: "1").map(\.operation.key)) {
        guard let shape = shapes.shape(named: key.table) else { continue }
        let loaded = try load(key.id, in: shape)
        guard loaded.place == .nowhere, let view = loaded.record.view, view.deleted == nil else {
          continue
        }
        try replaceRow(view, id: key.id, feed: loaded.record.feed, in: shape)
      }
    } catch {
      rollback()
      throw error
    }
    try commit(writes: 1)
  }
}

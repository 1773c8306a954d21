import CommuteCore
import CommuteFeatures
import CommuteStore

/// `commute doctor --repair`: a working database of a damaged one.
struct Repair {
  let options: DeviceOptions
  let place: DevicePlace

  /// Recovers the database where it is damaged; nil where it is not.
  func run() async throws(Failure) -> Report? {
    guard try await isDamaged() else { return nil }
    var store = StoreOptions(
      account: owner, schemaName: ReadingList.schemaName,
      schemaVersion: ReadingList.schemaVersion, build: Build.name, deviceName: options.name)
    store.busyMilliseconds = 1_000
    do throws(StoreError) {
      return Self.report(
        try Store.recover(place.directory, tables: ReadingList.tables, options: store))
    } catch {
      throw Failure(error)
    }
  }

  private func isDamaged() async throws(Failure) -> Bool {
    do {
      let device = try OpenDevice.open(options, at: place)
      let problems = try? await device.store.integrityProblems()
      await device.store.close()
      return problems != []
    } catch {
      // What does not even open is worth a try; recovering says what else is wrong.
      guard error.code == .storage else { throw error }
      return true
    }
  }

  /// Whose file it is, as far as it says so.
  private var owner: Account {
    if let account = place.account { return account }
    let files = try? DeviceAccounts(options.directory).files()
    return files?.first { $0.directory == place.directory }?.account ?? .local
  }

  private static func report(_ found: RecoveryReport) -> Report {
    let books = found.rows[Book.table.name] ?? 0
    let pending = Plural.text(found.pending, "change")
    let refused = Plural.text(found.refused, "refused change")
    var lines = [
      "recovered: \(Plural.text(books, "book")), \(pending) waiting, \(refused)",
      "the damaged file is \(found.damaged)",
      "what waited was written down first: \(found.exported)",
    ]
    if !found.losses.isEmpty {
      lines.append("not readable:")
      lines += found.losses.map { "  \($0)" }
    }
    lines.append("`commute books sync` brings back what the server has")
    return Report(
      lines,
      [
        "books": JSON(books), "pending": JSON(found.pending), "refused": JSON(found.refused),
        "damaged": .text(found.damaged), "exported": .text(found.exported),
        "losses": JSON(found.losses),
      ])
  }
}

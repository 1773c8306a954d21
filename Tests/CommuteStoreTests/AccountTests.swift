import CommuteCore
import CommuteStore
import Foundation
import StoreSupport
import Testing

/// One file an account: nobody sees another's data, and nothing unsent goes without a word.
@Suite struct AccountTests {
  let folder: TemporaryStore
  let accounts: DeviceAccounts
  let anna = Account(tenant: "acme", user: "anna")
  let ben = Account(tenant: "acme", user: "ben")

  init() throws {
    folder = try TemporaryStore()
    accounts = DeviceAccounts(folder.device, options: folder.options())
  }

  private func open(_ account: Account, seed: UInt64 = 1) throws -> Store {
    var options = folder.options(seed: seed)
    options.account = account
    return try Store(accounts.directory(of: account), tables: [Book.table], options: options)
  }

  private func write(_ title: String, as account: Account, seed: UInt64) async throws {
    let store = try open(account, seed: seed)
    try await store.write { tx in try tx.insert(Book(title: title)) }
    await store.close()
  }

  private func titles(of account: Account) async throws -> [String] {
    let store = try open(account)
    let titles = try await store.read { tx in try tx.fetch(Book.all).map(\.title) }
    await store.close()
    return titles
  }

  @Test func `each account has a file and sees its own records only`() async throws {
    try await write("Momo", as: anna, seed: 1)
    try await write("Krabat", as: ben, seed: 2)
    let hers = try await titles(of: anna)
    let his = try await titles(of: ben)
    #expect(hers == ["Momo"] && his == ["Krabat"])
    let files = try accounts.files()
    #expect(files.map(\.account) == [anna, ben])
    #expect(files.map(\.unsettled) == [UnsettledWork(waiting: 1), UnsettledWork(waiting: 1)])
    #expect(files[0].directory == folder.device)
    #expect(files[1].directory.hasPrefix("\(folder.device)/accounts/"))
    #expect(!files[1].directory.contains("ben"))
  }

  @Test func `what was written without a sign-in goes to the first who signs in, and no other`()
    async throws
  {
    try await write("Momo", as: .local, seed: 1)
    let hers = try await titles(of: anna)
    let his = try await titles(of: ben)
    #expect(hers == ["Momo"] && his == [])
    #expect(try accounts.file(of: .local) == nil)
  }

  @Test func `who is signed in is remembered`() async throws {
    #expect(try accounts.current() == .unsaid)
    try accounts.signIn(anna)
    #expect(try accounts.current() == .account(anna))
    try await write("Momo", as: anna, seed: 1)
    try accounts.signOut(anna, .keep)
    #expect(try accounts.current() == .nobody)
    #expect(try accounts.file(of: anna)?.unsettled.waiting == 1)
    // Another who signs out changes nothing for the one who is signed in.
    try accounts.signIn(anna)
    try await write("Krabat", as: ben, seed: 2)
    try accounts.signOut(ben, .wipe)
    #expect(try accounts.current() == .account(anna))
  }

  @Test func `unsent work is never wiped silently`() async throws {
    try await write("Momo", as: anna, seed: 1)
    #expect(throws: SignOutRefusal.unsettled(UnsettledWork(waiting: 1))) {
      try accounts.signOut(anna, .ifSettled)
    }
    let kept = try await titles(of: anna)
    #expect(kept == ["Momo"])
    let lost = try accounts.signOut(anna, .wipe)
    #expect(lost == UnsettledWork(waiting: 1))
    #expect(try accounts.files().isEmpty)
    // The device is like new: nothing is missing on it.
    let fresh = try await titles(of: anna)
    #expect(fresh == [])
  }

  @Test func `what the server has settled goes without a question`() async throws {
    let store = try open(anna)
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    try await store.syncAll(with: SmallServer())
    await store.close()
    let left = try accounts.signOut(anna, .ifSettled)
    #expect(left.isEmpty)
    #expect(try accounts.files().isEmpty)
  }

  @Test func `an export holds all of it, and is a device of its own`() async throws {
    try await write("Momo", as: ben, seed: 3)
    try await write("Krabat", as: anna, seed: 1)
    let before = try open(anna)
    let replica = try await before.device().replica
    await before.close()
    let copy = "\(folder.path)/copy"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    try accounts.signOut(anna, .export(toFile: "\(copy)/commute.db"))
    #expect(try accounts.files().map(\.account) == [ben])
    var options = folder.options(seed: 9)
    options.account = anna
    let again = try Store(copy, tables: [Book.table], options: options)
    let titles = try await again.read { tx in try tx.fetch(Book.all).map(\.title) }
    let counts = try await again.counts()
    let device = try await again.device()
    #expect(titles == ["Krabat"] && counts.waiting == 1)
    #expect(device.replica != replica && device.earlierReplicas == [replica])
  }

  @Test func `an export onto a file that is there changes nothing`() async throws {
    try await write("Momo", as: anna, seed: 1)
    let path = "\(folder.path)/there.db"
    try Data("mine".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: SignOutRefusal.self) {
      try accounts.signOut(anna, .export(toFile: path))
    }
    guard case .store(.unreadable(path, _)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let kept = try await titles(of: anna)
    #expect(kept == ["Momo"])
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
  }

  @Test func `a file that is open elsewhere stays`() async throws {
    let store = try open(anna)
    try await store.write { tx in try tx.insert(Book(title: "Momo")) }
    #expect(throws: SignOutRefusal.inUse) { try accounts.signOut(anna, .wipe) }
    try await store.write { tx in try tx.insert(Book(title: "Krabat")) }
    let count = try await store.read { tx in try tx.count(Book.all) }
    #expect(count == 2)
    let claim = try store.claimSync(as: "test")
    await store.close()
    #expect(throws: SignOutRefusal.inUse) { try accounts.signOut(anna, .wipe) }
    claim.release()
    let kept = try await titles(of: anna)
    #expect(kept.sorted() == ["Krabat", "Momo"])
  }

  @Test func `a marker that names nobody is named`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.device, withIntermediateDirectories: true)
    try Data("anna\n".utf8).write(to: URL(filePath: "\(folder.device)/account"))
    let error = #expect(throws: StoreError.self) { try accounts.current() }
    #expect(error?.message.contains("\(folder.device)/account names no account") == true)
  }
}

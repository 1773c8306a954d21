public import CommuteCore
import Foundation

/// The accounts of one device: a database file for each, so that no account sees another's data.
///
/// ```swift
/// let accounts = DeviceAccounts(folder)
/// try accounts.signIn(anna)
/// let store = try Store(accounts.directory(of: anna), tables: tables, options: options)
/// ```
/// The first account has its file in the device's folder itself, where it is without any sign-in;
/// every other one has a folder of its own below `accounts`. Switching needs no network.
public struct DeviceAccounts: Sendable {
  /// Who is signed in on a device.
  public enum Current: Hashable, Sendable {
    /// Nobody ever said: whoever owns the file in the device's folder.
    case unsaid
    /// This account.
    case account(Account)
    /// Nobody: the last one has signed out.
    case nobody
  }

  /// The device's folder.
  public let directory: String
  let hostDirectory: String?
  let key: (@Sendable () throws -> StoreKey)?

  /// Names a device; nothing is read or made yet.
  ///
  /// - Parameters:
  ///   - directory: The device's folder.
  ///   - options: Where records outside the databases are kept, and their key, as the stores have
  ///     them.
  public init(_ directory: String, options: StoreOptions = StoreOptions()) {
    self.directory = directory
    hostDirectory = options.hostDirectory
    key = options.key
  }

  /// Who is signed in.
  public func current() throws(StoreError) -> Current {
    // Where the folder itself is none, opening the store says so.
    guard PrivateFolder.size(of: marker) != nil, let bytes = try PrivateFolder.read(marker) else {
      return .unsaid
    }
    let owner = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    if owner.isEmpty { return .nobody }
    guard let account = Account(owner: owner) else {
      throw .corrupt(reason: "\(marker) names no account; remove it and sign in")
    }
    return .account(account)
  }

  /// Signs an account in, whether or not it has a file yet; the others keep theirs.
  public func signIn(_ account: Account) throws(StoreError) {
    try PrivateFolder.make(directory)
    try PrivateFolder.replace(marker, with: Array("\(account.owner)\n".utf8))
  }

  /// The files that are here, the one in the device's folder first, the others by account.
  public func files() throws(StoreError) -> [AccountFile] {
    var others: [AccountFile] = []
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names {
      if let file = try AccountFile.read(in: "\(folder)/\(name)", key: key) { others.append(file) }
    }
    others.sort { Key($0.account.owner) < Key($1.account.owner) }
    return (try AccountFile.read(in: directory, key: key)).map { [$0] + others } ?? others
  }

  /// The file of an account; nil where it has none.
  public func file(of account: Account) throws(StoreError) -> AccountFile? {
    if let own = try AccountFile.read(in: place(of: account), key: key) { return own }
    guard let first = try AccountFile.read(in: directory, key: key), first.account == account else {
      return nil
    }
    return first
  }

  /// The folder to open an account's store in, where its file is or is to be made.
  ///
  /// A file that was used without a sign-in goes to the account that signs in first.
  public func directory(of account: Account) throws(StoreError) -> String {
    if let file = try file(of: account) { return file.directory }
    guard let first = try AccountFile.read(in: directory, key: key), !first.isUnowned else {
      return directory
    }
    return place(of: account)
  }

  /// Where it is written who is signed in.
  var marker: String { "\(directory)/account" }
  private var folder: String { "\(directory)/accounts" }

  /// The folder of an account that was not the first; its name tells nothing.
  func place(of account: Account) -> String {
    "\(folder)/\(SHA256.hash(Array(account.owner.utf8)).text.prefix(32))"
  }

  /// Notes that nobody is signed in; on a device without any file, that nobody ever was.
  func signOutCurrent(leaving account: Account) throws(StoreError) {
    switch try current() {
    case .account(account), .unsaid: break
    case .account, .nobody: return
    }
    if try files().isEmpty {
      try? FileManager.default.removeItem(atPath: marker)
    } else {
      try PrivateFolder.replace(marker, with: [0x0A])
    }
  }
}
